package central

import "context"

// Message is a message to be sent.
type Message struct {
	ID      uint64
	To      string
	Subject string
	Body    string
}

// SendMessages sends what waits in the outbox, each message once if send
// says that it went; none to a player who excluded himself (F22). It returns how many went.
func (s *System) SendMessages(ctx context.Context, send func(context.Context, Message) error) (sent int, err error) {
	return 0, errToBuild
}

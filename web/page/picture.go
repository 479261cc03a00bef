package page

import (
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"tirage/paper"
)

// PictureMax bounds a form with a picture, in bytes: the picture and what stands around it.
const PictureMax = paper.ImageBytesMax + 64<<10

// A phone in a café is slow, but a sender that hardly sends keeps others out: a
// picture has pictureGrace to begin, as long again as its bytes take at
// pictureRate, in bytes a second, and pictureTime in all. Its answer has
// answerTime more.
const (
	pictureTime  = time.Minute
	pictureGrace = 10 * time.Second
	pictureRate  = 32 << 10
	answerTime   = 30 * time.Second
)

var (
	// ErrBusy is a picture while as many are being received as the node has memory for.
	ErrBusy = errors.New("too many pictures are being received")
	// ErrSlow is a picture that came too slowly.
	ErrSlow = errors.New("picture came too slowly")
)

// Intake receives pictures, and bounds the memory that they take: so many at
// once, so many of each client, so many of them being read. Whoever must not
// keep others out has another one.
type Intake struct {
	most, each int
	reads      chan struct{}

	mu       sync.Mutex
	of       map[string]int // pictures being received, by client
	received int            // all of them
}

// NewIntake returns an intake of most pictures at once, each of them of a
// client's, of which reads are read at once.
func NewIntake(most, each, reads int) *Intake {
	return &Intake{most: most, each: each, reads: make(chan struct{}, reads), of: map[string]int{}}
}

// enter takes a place for a picture of a client until leave is called, or returns [ErrBusy].
func (i *Intake) enter(client string) (leave func(), err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.received >= i.most || i.of[client] >= i.each {
		return nil, ErrBusy
	}
	i.received++
	i.of[client]++
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.received--
		if i.of[client]--; i.of[client] == 0 {
			delete(i.of, client)
		}
	}, nil
}

// TakePictures lets the form of an address carry a picture. A face says so with its routes.
func (a *App) TakePictures(path string) { a.pictures[path] = true }

// BodyMax is how much a request may carry, in bytes.
func (a *App) BodyMax(r *http.Request) int64 {
	if r.Method == http.MethodPost && a.pictures[r.URL.Path] {
		return PictureMax
	}
	return BodyMax
}

// Picture reads the picture of a client's form with one, in r's field, and lends
// it to use. Nothing of it is kept, and nothing is written to a disk; the other
// fields are in r.PostForm. Refusals: [ErrForm], [ErrBusy], [ErrSlow], and those of
// [paper.Decode], which a form without a picture is too. The caller has limited
// the client's tries.
func (i *Intake) Picture(w http.ResponseWriter, r *http.Request, client, field string, use func(image.Image) error) error {
	leave, err := i.enter(client)
	if err != nil {
		return err
	}
	defer leave()
	if err := receive(w, r); err != nil {
		return formError(err)
	}
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	file, _, err := r.FormFile(field)
	if err != nil {
		return fmt.Errorf("%w: none was sent", paper.ErrImage)
	}
	defer func() { _ = file.Close() }()
	select {
	case i.reads <- struct{}{}:
		defer func() { <-i.reads }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	img, err := paper.Decode(file)
	if err != nil {
		return err
	}
	return use(img)
}

// receive reads a form with a picture, as long as it comes fast enough.
func receive(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	control := http.NewResponseController(w)
	// Writers that keep no deadline, of tests, have none to lift.
	_ = control.SetWriteDeadline(began.Add(pictureTime + answerTime))
	r.Body = &paced{ReadCloser: r.Body, control: control, began: began}
	err := r.ParseMultipartForm(PictureMax)
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body) // what stands behind the form
	}
	if err == nil {
		// The server goes on reading, to see the client go: it must not take a pause for that.
		_ = control.SetReadDeadline(began.Add(pictureTime + answerTime))
	}
	return err
}

// paced is a body that is read as long as it comes fast enough.
type paced struct {
	io.ReadCloser
	control *http.ResponseController
	began   time.Time
	read    int64 // bytes
}

func (p *paced) Read(b []byte) (int, error) {
	takes := pictureGrace + time.Duration(p.read)*time.Second/pictureRate
	_ = p.control.SetReadDeadline(p.began.Add(min(takes, pictureTime)))
	n, err := p.ReadCloser.Read(b)
	p.read += int64(n)
	return n, err
}

// formError is what an error of reading a form is.
func formError(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return paper.ErrImageSize
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrSlow
	}
	return ErrForm
}

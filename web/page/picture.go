package page

import (
	"errors"
	"fmt"
	"image"
	"net/http"
	"time"

	"tirage/paper"
)

// PictureMax bounds a form with a picture, in bytes: the picture and what stands around it.
const PictureMax = paper.ImageBytesMax + 64<<10

// pictureTime is how long the sender of a picture has; a phone in a café is slow.
const pictureTime = time.Minute

// Pictures being received and being read at once, all clients together: memory is bounded so.
const (
	picturesReceived = 6
	picturesRead     = 2
)

// ErrBusy is a picture while as many are being read as the node has memory for.
var ErrBusy = errors.New("too many pictures are being read")

// pictures bounds the work with pictures.
type pictures struct {
	forms            map[string]bool // addresses of forms with a picture
	receiving, reads chan struct{}
}

func newPictures() pictures {
	return pictures{map[string]bool{}, make(chan struct{}, picturesReceived), make(chan struct{}, picturesRead)}
}

// TakePictures lets the form of an address carry a picture. A face says so with its routes.
func (a *App) TakePictures(path string) { a.pictures.forms[path] = true }

// BodyMax is how much a request may carry, in bytes.
func (a *App) BodyMax(r *http.Request) int64 {
	if r.Method == http.MethodPost && a.pictures.forms[r.URL.Path] {
		return PictureMax
	}
	return BodyMax
}

// Picture reads the picture of a form with one, in r's field, and lends it to
// use. Nothing of it is kept, and nothing is written to a disk; the other fields
// are in r.PostForm. Refusals: [ErrForm], [ErrBusy], and those of [paper.Decode],
// which a form without a picture is too. The caller has limited the client's tries.
func (a *App) Picture(w http.ResponseWriter, r *http.Request, field string, use func(image.Image) error) error {
	select {
	case a.pictures.receiving <- struct{}{}:
		defer func() { <-a.pictures.receiving }()
	default:
		return ErrBusy
	}
	// Writers that keep no deadline, of tests, have none to lift.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(pictureTime))
	if err := r.ParseMultipartForm(PictureMax); err != nil {
		return formError(err)
	}
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	file, _, err := r.FormFile(field)
	if err != nil {
		return fmt.Errorf("%w: none was sent", paper.ErrImage)
	}
	defer func() { _ = file.Close() }()
	select {
	case a.pictures.reads <- struct{}{}:
		defer func() { <-a.pictures.reads }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	img, err := paper.Decode(file)
	if err != nil {
		return err
	}
	return use(img)
}

// formError is what an error of reading a form is.
func formError(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return paper.ErrImageSize
	}
	return ErrForm
}

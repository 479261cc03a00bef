package page

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tirage/paper"
)

// pictureForm is a form with a picture, as a browser sends it.
func pictureForm(t testing.TB, path string, picture []byte) *http.Request {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("photo", "ticket.png")
	if err == nil {
		_, err = part.Write(picture)
	}
	if err := errors.Join(err, w.WriteField("more", "words"), w.Close()); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, path, &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

func somePicture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A picture is lent with the other fields of its form; what is no picture is
// refused, and so is one more than there is memory for.
func TestPicture(t *testing.T) {
	t.Parallel()
	app := New(nil, slog.New(slog.DiscardHandler))
	r := pictureForm(t, "/x", somePicture(t))
	used := false
	err := app.Pictures.Picture(httptest.NewRecorder(), r, "T1", "photo", func(img image.Image) error {
		used = img.Bounds().Dx() == 40 && r.PostForm.Get("more") == "words"
		return nil
	})
	if err != nil || !used {
		t.Errorf("the picture was not lent: %v", err)
	}
	never := func(image.Image) error { t.Error("lent"); return nil }
	for name, c := range map[string]struct {
		r    *http.Request
		want error
	}{
		"no picture":   {pictureForm(t, "/x", []byte("text")), paper.ErrImage},
		"other field":  {pictureForm(t, "/x", somePicture(t)), paper.ErrImage},
		"another form": {httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/x", strings.NewReader("photo=1")), ErrForm},
	} {
		field := "photo"
		if name == "other field" {
			field = "foto"
		}
		if err := app.Pictures.Picture(httptest.NewRecorder(), c.r, "T1", field, never); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A client has so many places, and all clients together; a place that is left is free.
func TestPictureBusy(t *testing.T) {
	t.Parallel()
	in := NewIntake(3, 2, 1)
	var leave []func()
	for _, c := range []struct {
		client string
		want   error
	}{{"T1", nil}, {"T1", nil}, {"T1", ErrBusy}, {"T2", nil}, {"T3", ErrBusy}} {
		left, err := in.enter(c.client)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.client, err, c.want)
		}
		if err == nil {
			leave = append(leave, left)
		}
	}
	never := func(image.Image) error { t.Error("lent"); return nil }
	if err := in.Picture(httptest.NewRecorder(), pictureForm(t, "/x", somePicture(t)), "T3", "photo", never); !errors.Is(err, ErrBusy) {
		t.Errorf("one more than there is room for: %v", err)
	}
	for _, left := range leave {
		left()
	}
	if in.received != 0 || len(in.of) != 0 {
		t.Errorf("after all have left: %d, %v", in.received, in.of)
	}
}

// Only the forms that say so may be large, and they too have an end.
func TestPictureBounds(t *testing.T) {
	t.Parallel()
	app := New(nil, slog.New(slog.DiscardHandler))
	app.TakePictures("/x")
	for path, want := range map[string]int64{"/x": PictureMax, "/y": BodyMax, "/x/": BodyMax} {
		if got := app.BodyMax(pictureForm(t, path, nil)); got != want {
			t.Errorf("%s: %d bytes, want %d", path, got, want)
		}
	}
	if got := app.BodyMax(httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/x", nil)); got != BodyMax {
		t.Errorf("a request for the page: %d bytes", got)
	}
	r := pictureForm(t, "/x", make([]byte, 2000))
	r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, 1000)
	err := app.Pictures.Picture(httptest.NewRecorder(), r, "T1", "photo", func(image.Image) error { return nil })
	if refusal := Describe(French, err); !errors.Is(err, paper.ErrImageSize) || refusal.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("a picture that is too long: %v, %v", err, refusal)
	}
}

// F24: the code of a ticket stands in no log.
func TestF24_LoggedPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/t/015NM75XGQ706DBSQQGQ": "/t/…", "/t/": "/t/…", "/t/a/b": "/t/…", "/tirage": "/tirage", "/": "/",
	} {
		if got := LoggedPath(httptest.NewRequestWithContext(context.Background(), http.MethodGet, path+"?x=y", nil)); got != want {
			t.Errorf("%s is logged as %s, want %s", path, got, want)
		}
	}
}

package training

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// folder is a temporary folder, whose lock says that a process is at work there:
// what has none is left by one that was killed.
type folder struct {
	path string
	lock *os.File
}

const (
	folderName = "tirage-training-"
	lockName   = "lock"
)

// newFolder makes a folder. Its lock comes with it: another process that sweeps finds
// it locked, or not there yet.
func newFolder() (*folder, error) {
	path, err := os.MkdirTemp("", folderName+"*")
	if err != nil {
		return nil, err
	}
	lock, err := newLock(path)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return &folder{path, lock}, nil
}

// newLock makes the lock of a folder under another name, and gives it its own once it is locked.
func newLock(path string) (*os.File, error) {
	name := filepath.Join(path, lockName)
	lock, err := take(name+".new", os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

// remove removes the folder with all that is in it, and gives its lock back.
func (f *folder) remove() error { return errors.Join(os.RemoveAll(f.path), f.lock.Close()) }

// sweep removes the folders in which no process is at work any more.
func sweep() error {
	paths, err := filepath.Glob(filepath.Join(os.TempDir(), folderName+"*"))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		lock, err := take(filepath.Join(path, lockName), 0)
		if err != nil {
			continue // somebody's
		}
		errs = append(errs, (&folder{path, lock}).remove())
	}
	return errors.Join(errs...)
}

// take opens a file and locks it for the life of the process, or fails at once.
func take(name string, create int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Clean(name), create|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

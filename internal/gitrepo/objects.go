package gitrepo

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

// objects is the repository's object database, kept open. go-git's storage is
// not safe for concurrent use, so one goroutine at a time is in it.
type objects struct {
	mu     sync.Mutex
	common string
	store  *filesystem.Storage
}

func openObjects(common string) *objects {
	o := &objects{common: common}
	o.reopen()
	return o
}

func (o *objects) reopen() {
	if o.store != nil {
		_ = o.store.Close()
	}
	o.store = filesystem.NewStorageWithOptions(osfs.New(o.common), cache.NewObjectLRUDefault(),
		filesystem.Options{KeepDescriptors: true})
}

// content reads a whole object of the given type.
func (o *objects) content(t plumbing.ObjectType, h plumbing.Hash) ([]byte, error) {
	return o.prefix(t, h, -1)
}

// prefix reads at most limit bytes of an object; a negative limit means all.
func (o *objects) prefix(t plumbing.ObjectType, h plumbing.Hash, limit int64) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, err := o.readLocked(t, h, limit)
	if err != nil {
		// A gc by somebody else moves objects into packs that this handle has not seen.
		o.reopen()
		b, err = o.readLocked(t, h, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s in %s: %w", t, h, o.common, err)
	}
	return b, nil
}

func (o *objects) readLocked(t plumbing.ObjectType, h plumbing.Hash, limit int64) (_ []byte, err error) {
	obj, err := o.store.EncodedObject(t, h)
	if err != nil {
		return nil, err
	}
	r, err := obj.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size := obj.Size()
	if limit >= 0 && limit < size {
		size = limit
	}
	b := make([]byte, size)
	_, err = io.ReadFull(r, b)
	return b, err
}

// put writes an object, unless it is there already.
func (o *objects) put(t plumbing.ObjectType, b []byte) (plumbing.Hash, error) {
	obj := &plumbing.MemoryObject{}
	obj.SetType(t)
	obj.SetSize(int64(len(b)))
	if _, err := obj.Write(b); err != nil {
		return plumbing.ZeroHash, err
	}
	name := obj.Hash().String()
	if _, err := os.Lstat(filepath.Join(o.common, "objects", name[:2], name[2:])); err == nil {
		return obj.Hash(), nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	defer crash.Around("object write", t.String())()
	h, err := plumbing.ZeroHash, crash.Full("object write")
	if err == nil {
		h, err = o.store.SetEncodedObject(obj)
	}
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("writing a %s to %s: %w", t, o.common, err)
	}
	return h, nil
}

// commit reads a commit object.
func (o *objects) commit(h plumbing.Hash) (*object.Commit, error) {
	b, err := o.content(plumbing.CommitObject, h)
	if err != nil {
		return nil, err
	}
	obj := &plumbing.MemoryObject{}
	obj.SetType(plumbing.CommitObject)
	if _, err := obj.Write(b); err != nil {
		return nil, err
	}
	c := &object.Commit{}
	if err := c.Decode(obj); err != nil {
		return nil, fmt.Errorf("commit %s in %s: %w", h, o.common, err)
	}
	return c, nil
}

// treeOf returns the tree of a commit, or of a tree itself.
func (o *objects) treeOf(h stages.Hash) (plumbing.Hash, error) {
	id := plumbing.NewHash(string(h))
	if id == emptyTree() {
		return id, nil
	}
	c, err := o.commit(id)
	if err == nil {
		return c.TreeHash, nil
	}
	if _, treeErr := o.content(plumbing.TreeObject, id); treeErr == nil {
		return id, nil
	}
	return plumbing.ZeroHash, err
}

// ref resolves a ref to the commit it stands on; ok is false if there is none.
func (o *objects) ref(name string) (_ plumbing.Hash, ok bool, _ error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for range 8 {
		ref, err := o.store.Reference(plumbing.ReferenceName(name))
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return plumbing.ZeroHash, false, nil
		}
		if err != nil {
			return plumbing.ZeroHash, false, fmt.Errorf("ref %s in %s: %w", name, o.common, err)
		}
		if ref.Type() == plumbing.HashReference {
			return ref.Hash(), true, nil
		}
		name = ref.Target().String()
	}
	return plumbing.ZeroHash, false, fmt.Errorf("ref %s in %s: too many symbolic refs on the way", name, o.common)
}

package recorded

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"os"
)

// index finds the lines of users. It is a hash table in a file, so that its memory does not grow with their number: the
// slots of a key are those from its place on, up to one that is empty.
type index struct {
	file  *os.File
	slots uint64
	left  int64 // how many lines may be added
}

// slot is where the line of a user is: in which file, and the offset of its member there.
type slot struct {
	key    key
	file   uint32 // from 1; 0: the slot is empty
	offset int64
}

const slotSize = 8 + 4 + 8

// newIndex returns an index for so many users. Its file is in a folder, or in that for temporary files if it is "".
func newIndex(folder string, users int64) (*index, error) {
	file, err := os.CreateTemp(folder, ".recorded-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where the system allows that; else close does
	n := &index{file: file, slots: 1 << bits.Len64(uint64(max(users, 8))*2), left: users}
	return n, file.Truncate(int64(n.slots) * slotSize)
}

// find returns the slot of a key, and its place in the file. If there is none, it is the empty one for the key.
func (n *index) find(k key) (s slot, at int64, err error) {
	var text [slotSize]byte
	for i := uint64(k); ; i++ {
		at = int64(i&(n.slots-1)) * slotSize
		if _, err = n.file.ReadAt(text[:], at); err != nil {
			return s, at, err
		}
		if s = slotIn(text[:]); s.file == 0 || s.key == k {
			return s, at, nil
		}
	}
}

// add adds the line of a user. The record has one line of each.
func (n *index) add(s slot) error {
	if n.left--; n.left < 0 {
		return errors.New("the record has more users than its footer says")
	}
	_, at, err := n.find(s.key)
	if err != nil {
		return err
	}
	text := binary.BigEndian.AppendUint64(nil, uint64(s.key))
	text = binary.BigEndian.AppendUint32(text, s.file)
	text = binary.BigEndian.AppendUint64(text, uint64(s.offset))
	_, err = n.file.WriteAt(text, at)
	return err
}

func slotIn(text []byte) slot {
	order := binary.BigEndian
	return slot{key(order.Uint64(text)), order.Uint32(text[8:]), int64(order.Uint64(text[12:]))}
}

// count returns how many users of a shard, from 1, were added.
func (n *index) count(shard, of int) (users int64, err error) {
	var text [slotSize]byte
	all := bufio.NewReader(io.NewSectionReader(n.file, 0, int64(n.slots)*slotSize))
	for {
		if _, err = io.ReadFull(all, text[:]); err == io.EOF {
			return users, nil
		} else if err != nil {
			return 0, err
		}
		if s := slotIn(text[:]); s.file > 0 && int(uint64(s.key)%uint64(of)) == shard-1 {
			users++
		}
	}
}

func (n *index) close() {
	_ = n.file.Close()
	_ = os.Remove(n.file.Name())
}

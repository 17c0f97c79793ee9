package recorded

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"os"
)

// index finds the lines of users. It is a hash table in a file, so that its memory does not grow with their number: the
// slots of a key are those from its place on, up to one that is empty. A slot has the key and, from 1, the offset of
// the member with the user's line.
type index struct {
	file  *os.File
	slots uint64
	left  int64 // how many lines may be added
}

const slotSize = 8 + 8

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

// find returns the offset for a key, and the place of its slot in the file. If the key is not known, the offset is -1,
// and the place is that of an empty slot for it.
func (n *index) find(k uint64) (offset, place int64, err error) {
	var slot [slotSize]byte
	for i := k; ; i++ {
		place = int64(i%n.slots) * slotSize
		if _, err = n.file.ReadAt(slot[:], place); err != nil {
			return -1, place, err
		}
		offset = int64(binary.BigEndian.Uint64(slot[8:])) - 1
		if offset < 0 || binary.BigEndian.Uint64(slot[:]) == k {
			return offset, place, nil
		}
	}
}

// add adds a user, of whom the record has one line.
func (n *index) add(k uint64, offset int64) error {
	if n.left--; n.left < 0 {
		return errors.New("the record has more users than its footer says")
	}
	_, place, err := n.find(k)
	if err != nil {
		return err
	}
	slot := binary.BigEndian.AppendUint64(nil, k)
	_, err = n.file.WriteAt(binary.BigEndian.AppendUint64(slot, uint64(offset+1)), place)
	return err
}

func (n *index) close() {
	_ = n.file.Close()
	_ = os.Remove(n.file.Name())
}

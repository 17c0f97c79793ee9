package recorded

import (
	"encoding/binary"
	"math/bits"
	"os"
)

// index finds the lines of users. It is a hash table in a file, so that its memory does not grow with their number: the
// slots of a key are those from its place on, up to one that is empty.
type index struct {
	file  *os.File
	slots uint64
}

// place is where a line is: the file, the offset of its member, and its number in that.
type place struct {
	file   int
	offset int64
	line   int
}

const slotSize = 8 + 8 + 4 + 4

// newIndex returns an index for so many users. Its file is in a folder, or in that for temporary files if it is "".
func newIndex(folder string, users int64) (*index, error) {
	file, err := os.CreateTemp(folder, ".recorded-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where the system allows that; else close does
	n := &index{file: file, slots: 1 << bits.Len64(uint64(max(users, 8))*2)}
	return n, file.Truncate(int64(n.slots) * slotSize)
}

// add adds the line of a user. The lines of one key can be added in any order.
func (n *index) add(k key, at place) error {
	for i := uint64(k); ; i++ {
		_, _, used, err := n.slot(i)
		if err != nil {
			return err
		}
		if used {
			continue
		}
		var slot [slotSize]byte
		binary.BigEndian.PutUint64(slot[:], uint64(k))
		binary.BigEndian.PutUint64(slot[8:], uint64(at.offset))
		binary.BigEndian.PutUint32(slot[16:], uint32(at.file)+1) // not 0: the slot is used
		binary.BigEndian.PutUint32(slot[20:], uint32(at.line))
		_, err = n.file.WriteAt(slot[:], int64(i&(n.slots-1))*slotSize)
		return err
	}
}

// find returns the line of a user.
func (n *index) find(k key) (at place, found bool, err error) {
	for i := uint64(k); ; i++ {
		other, at, used, err := n.slot(i)
		if err != nil || !used || other == k {
			return at, used && err == nil, err
		}
	}
}

func (n *index) slot(i uint64) (k key, at place, used bool, err error) {
	var slot [slotSize]byte
	if _, err = n.file.ReadAt(slot[:], int64(i&(n.slots-1))*slotSize); err != nil {
		return 0, place{}, false, err
	}
	number := binary.BigEndian.Uint32(slot[16:])
	return key(binary.BigEndian.Uint64(slot[:])), place{int(number) - 1, int64(binary.BigEndian.Uint64(slot[8:])),
		int(binary.BigEndian.Uint32(slot[20:]))}, number > 0, nil
}

func (n *index) close() {
	_ = n.file.Close()
	_ = os.Remove(n.file.Name())
}

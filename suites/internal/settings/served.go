package settings

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/settings/input"
)

// MinServed is the least share or number of users whom each version must serve in a sweep.
type MinServed struct {
	share  *big.Rat // of 1; nil if it is a number
	number int64
}

// ParseMinServed parses a share such as 50% or 99.5%, or a number of users such as 900.
func ParseMinServed(text string) (MinServed, error) {
	if percent, isShare := strings.CutSuffix(text, "%"); isShare && strings.Trim(percent, "0123456789.") == "" {
		share, ok := new(big.Rat).SetString(percent)
		if ok && len(percent) <= len("99.999999") && share.Cmp(big.NewRat(100, 1)) <= 0 {
			return MinServed{share: share.Quo(share, big.NewRat(100, 1))}, nil
		}
	} else if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text && n >= 0 {
		return MinServed{number: n}, nil
	}
	return MinServed{}, fmt.Errorf("expected a share such as 50%%, up to 100%%, or a number of users such as 900, "+
		"got %s", input.Quote(text))
}

// IsShare reports whether it is a share, not a number.
func (m MinServed) IsShare() bool { return m.share != nil }

// Reached reports whether so many served users are enough, of those who should be served.
func (m MinServed) Reached(served, should int64) bool {
	if m.share == nil {
		return served >= m.number
	}
	least := new(big.Rat).Mul(m.share, new(big.Rat).SetInt64(should))
	return new(big.Rat).SetInt64(served).Cmp(least) >= 0
}

// minServed validates the text.
func minServed(text string) (string, error) {
	_, err := ParseMinServed(text)
	return text, err
}

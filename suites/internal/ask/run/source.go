package run

import (
	"context"
	"errors"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
)

// source has the answers to well-formed requests.
type source interface {
	// calls returns the answers that count for the requests of one user and operation, in the order sent, and the
	// requests to which there is none.
	calls(context.Context, []exchange.Probe) (list []*exchange.Exchange, missing []exchange.Probe, err error)
	// once returns the answer to one request, as it came; nil if there is none.
	once(context.Context, exchange.Probe) (*exchange.Exchange, error)
	// CatchUp waits before the last calls of lookups whose answers differ.
	CatchUp(context.Context) error
}

// live asks the target, or reads the record of a version that is not asked.
type live struct {
	*asker.Asker
	given    map[string]*exchange.Exchange // answers that came first, by the id of their probe
	client   *client.Client
	records  map[schemas.Version]result.Source
	recorder client.Recorder
}

func (s *live) askFirst(ctx context.Context, users asker.Firsts, versions []schemas.Version) (err error) {
	s.given, err = s.AskFirst(ctx, users, versions, "enrolled user")
	return err
}

func (s *live) calls(ctx context.Context, probes []exchange.Probe) (list []*exchange.Exchange,
	missing []exchange.Probe, err error) {
	var asked []exchange.Probe
	for _, p := range probes {
		record := s.records[p.Version]
		if record == nil {
			asked = append(asked, p)
			continue
		}
		ex, err := record.Do(ctx, p)
		switch {
		case errors.Is(err, exchange.ErrNotRecorded):
			missing = append(missing, p)
			continue
		case err != nil:
			return nil, nil, err
		case s.recorder != nil:
			s.recorder.Sent(s.recorder.Sending(), s.client.Requests, ex, "")
		}
		list = append(list, ex)
	}
	answers, err := s.Read(ctx, asked, s.given)
	return append(list, answers...), missing, err
}

func (s *live) once(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	return s.Observe(ctx, p)
}

// past has the evidence of a run. Its last exchange of a probe is the one that counts.
type past struct {
	result.Source
	suite *spec.Suite
}

// CatchUp waits for nothing: what was sent came when it did.
func (s past) CatchUp(context.Context) error { return nil }

func (s past) calls(ctx context.Context, probes []exchange.Probe) (list []*exchange.Exchange,
	missing []exchange.Probe, err error) {
	for _, p := range probes {
		ex, err := s.once(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		if ex == nil {
			missing = append(missing, p)
			continue
		}
		second, err := s.once(ctx, asker.Second(p))
		switch {
		case err != nil:
			return nil, nil, err
		case second == nil || second.Started.Before(ex.Started):
			list = append(list, ex)
		default:
			list = append(list, asker.Counting(s.suite, ex, second)...)
		}
	}
	return list, missing, nil
}

func (s past) once(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	ex, err := s.Do(ctx, p)
	if errors.Is(err, exchange.ErrNotRecorded) {
		return nil, nil
	}
	return ex, err
}

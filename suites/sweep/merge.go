package sweep

import (
	"context"
	"errors"
	"time"

	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/sweep/record"
)

// mergePause is the pause between two checks whether all shards have ended.
const mergePause = 5 * time.Second

// Merge joins the shards in folders, for the merged sweep's own folder. Shards that are missing or have not ended are
// an error; if waiting is not nil it is called with that, and Merge waits for them.
func Merge(ctx context.Context, folders []string, into string, waiting func(error)) (whole *stats.Summary,
	sources []record.Source, err error) {
	for {
		err = engine.Within(ctx, 0, func() (err error) {
			whole, sources, err = record.Merge(folders, into, time.Now())
			return err
		})
		if waiting == nil || !errors.Is(err, stats.ErrNotEnded) {
			return whole, sources, err
		}
		waiting(err)
		select {
		case <-time.After(mergePause):
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

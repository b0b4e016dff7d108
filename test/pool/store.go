// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// store reads and writes etcd over its HTTP gateway.
type store struct {
	address string
	client  *http.Client
}

// pair is a key of the store with its value and the revision of its last write.
type pair struct {
	Key      []byte `json:"key"`
	Value    []byte `json:"value"`
	Revision int64  `json:"mod_revision,string"`
}

// all returns the pairs of a cluster, sorted by key; without values if keysOnly is set.
func (s store) all(ctx context.Context, cluster string, keysOnly bool) ([]pair, error) {
	from, to := bounds(cluster)
	var answer struct {
		KVs []pair `json:"kvs"`
	}
	err := s.call(ctx, "/v3/kv/range", map[string]any{"key": from, "range_end": to, "keys_only": keysOnly}, &answer)
	return answer.KVs, err
}

// bounds returns the range of the keys of a cluster, which begin with a slash, its name and
// another slash; "0" is the byte after that.
func bounds(cluster string) (from, to []byte) {
	return []byte("/" + cluster + "/"), []byte("/" + cluster + "0")
}

// transactionSize is how many operations etcd takes in one transaction.
const transactionSize = 128

// write applies changes in transactions.
func (s store) write(ctx context.Context, changes []change) error {
	for len(changes) > 0 {
		n := min(len(changes), transactionSize)
		if err := s.call(ctx, "/v3/kv/txn", map[string]any{"success": changes[:n]}, nil); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// change is an operation of a transaction: one of the fields is set.
type change struct {
	Put    *put         `json:"request_put,omitempty"`
	Delete *deleteRange `json:"request_delete_range,omitempty"`
}

type put struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value"`
}

// deleteRange deletes the keys from Key up to End, which stays.
type deleteRange struct {
	Key []byte `json:"key"`
	End []byte `json:"range_end"`
}

func (s store) call(ctx context.Context, path string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := s.client.Do(q)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return fmt.Errorf("etcd answers to %s with %s: %s", path, response.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

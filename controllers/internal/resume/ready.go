// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// ErrUnauthorized is the error of an API server that refuses the credentials.
var ErrUnauthorized = errors.New("the API server refuses the token: 401 Unauthorized")

// Ready asks an API server whether it is ready, by the URL of its /readyz.
func Ready(ctx context.Context, c *http.Client, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := c.Do(r)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	return Answered(response)
}

// Answered takes any response for an answer but a failure or a refusal of the token.
func Answered(response *http.Response) error {
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return ErrUnauthorized
	case response.StatusCode >= http.StatusInternalServerError:
		return fmt.Errorf("the API server is not ready: %s", response.Status)
	}
	return nil
}

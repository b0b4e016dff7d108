// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// fileMode is that of each file: a bundle has nothing to run.
const fileMode = 0o644

// encode returns the archive of sorted files. What tar and gzip could tell of the machine and
// the moment is left out.
func encode(files []File) ([]byte, error) {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeTar(zipped, files), zipped.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeTar writes the archive before it is compressed.
func writeTar(to io.Writer, files []File) error {
	w := tar.NewWriter(to)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Size: int64(len(f.Data)), Mode: fileMode}); err != nil {
			return err
		}
		if _, err := w.Write(f.Data); err != nil {
			return err
		}
	}
	return w.Close()
}

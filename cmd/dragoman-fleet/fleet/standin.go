// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/yaml"
)

//go:embed stages/*.yaml
var stages embed.FS

// StandIn plays the operator of one or more kinds of custom resources: kwok changes their
// objects as its stages describe. It begins on a member as soon as the member serves all
// these kinds, so their CRDs may come at any time.
type StandIn struct {
	Name   string // names the process and its log; a DNS label
	Stages []byte // YAML documents, each a Stage of kwok.x-k8s.io/v1alpha1

	kinds []schema.GroupVersionKind // that the stages act on
}

// LoadStandIn returns a stand-in of the package by its name, such as flink, or
// the one in the YAML file at the path, named after the file.
func LoadStandIn(nameOrPath string) (StandIn, error) {
	if !strings.ContainsAny(nameOrPath, "./") {
		data, err := stages.ReadFile("stages/" + nameOrPath + ".yaml")
		if err != nil {
			return StandIn{}, fmt.Errorf("no stand-in %q: want one of %s, or the path of a file (./%s)",
				nameOrPath, strings.Join(StandInNames(), ", "), nameOrPath)
		}
		return StandIn{Name: nameOrPath, Stages: data}, nil
	}
	data, err := os.ReadFile(nameOrPath)
	if err != nil {
		return StandIn{}, fmt.Errorf("load stand-in: %w", err)
	}
	name := filepath.Base(nameOrPath)
	return StandIn{Name: strings.TrimSuffix(name, filepath.Ext(name)), Stages: data}, nil
}

// StandInNames returns the names of the package's stand-ins, sorted.
func StandInNames() []string {
	entries, _ := stages.ReadDir("stages") // embedded: cannot fail
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// parse fills in the kinds of s, and reports what is wrong with it.
func (s *StandIn) parse() error {
	if msgs := validation.IsDNS1123Label(s.Name); len(msgs) > 0 {
		return errors.New(msgs[0])
	}
	reader := yamlreader.NewYAMLReader(bufio.NewReader(bytes.NewReader(s.Stages)))
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var stage struct {
			Kind string
			Spec struct {
				ResourceRef struct{ APIGroup, Kind string }
			}
		}
		if err := yaml.Unmarshal(doc, &stage); err != nil {
			return err
		}
		ref := stage.Spec.ResourceRef
		gvk := schema.FromAPIVersionAndKind(ref.APIGroup, ref.Kind)
		if stage.Kind != "Stage" || gvk.Group == "" || gvk.Kind == "" {
			return fmt.Errorf("kind %q for %q: want Stages whose resourceRef names a custom resource", stage.Kind, gvk)
		}
		if !slices.Contains(s.kinds, gvk) {
			s.kinds = append(s.kinds, gvk)
		}
	}
	if len(s.kinds) == 0 {
		return errors.New("no stages")
	}
	return nil
}

// playStandIns begins to wait, on each member, for the kinds of each stand-in.
func (f *Fleet) playStandIns() error {
	ctx, cancel := context.WithCancel(context.Background())
	f.cancelStandIns = cancel
	for _, s := range f.opts.StandIns {
		file := f.dir.run(s.Name + "-stages.yaml")
		if err := os.WriteFile(file, s.Stages, 0o600); err != nil {
			return err
		}
		for _, m := range f.Members {
			client, err := discovery.NewDiscoveryClientForConfig(m.RESTConfig())
			if err != nil {
				return err
			}
			f.standIns.Go(func() {
				if awaitKinds(ctx, client, s.kinds) != nil {
					return // the fleet stops
				}
				if err := f.run(ctx, kwokStandIn(f.dir, m, s.Name, file), playing); err != nil {
					f.report(err)
				}
			})
		}
	}
	return nil
}

// playing is when a stand-in is ready: kwok shows no sign.
func playing(context.Context) error { return nil }

// awaitKinds returns when the server serves all kinds and describes them in its
// OpenAPI document, which kwok reads; or with the error of ctx.
func awaitKinds(ctx context.Context, client discovery.DiscoveryInterface, kinds []schema.GroupVersionKind) error {
	for {
		if served(ctx, client, kinds) {
			return nil
		}
		if err := sleep(ctx, 500*time.Millisecond); err != nil {
			return err
		}
	}
}

func served(ctx context.Context, client discovery.DiscoveryInterface, kinds []schema.GroupVersionKind) bool {
	for _, kind := range kinds {
		gv := kind.GroupVersion().String()
		for _, path := range []string{"/apis/", "/openapi/v3/apis/"} {
			doc, err := client.RESTClient().Get().AbsPath(path + gv).Do(ctx).Raw()
			if err != nil || !bytes.Contains(doc, []byte(fmt.Sprintf("%q:%q", "kind", kind.Kind))) {
				return false
			}
		}
	}
	return true
}

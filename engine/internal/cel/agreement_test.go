// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// leaves and forms make random expressions; $ stands for one of them, V for a
// variable of its own. Maps have one key, as cel-go walks others in any order.
var (
	leaves = []string{
		`0`, `1`, `-2`, `7u`, `1.5`, `"a"`, `"ab,c"`, `""`, `b"x"`, `true`, `false`, `null`, `[]`, `{}`, `now`, `duration("1h")`,
		`object.n`, `object.s`, `object.list`, `object.map`, `object.missing`, `object.?s`, `object.?missing`, `optional.none()`,
		`quantity("1Gi")`, `semver("1.2.3")`, `[1, 2, 3]`, `{"k": 1}`, `"10.0.0.1"`, `"http://a/b?c=d"`,
	}
	forms = []string{
		`$ + $`, `$ - $`, `$ * $`, `$ / $`, `$ % $`, `$ == $`, `$ != $`, `$ < $`, `$ >= $`, `$ && $`, `$ || $`, `!$`, `-$`, `$ ? $ : $`,
		`$ in $`, `$ in [1, "a", 2.0]`, `$[$]`, `$[?$]`, `$.k`, `$.?k`, `has($.k)`, `[$, $]`, `{"k": $}`, `{$: $}`, `[?$.?k]`, `{?"k": optional.of($)}`,
		`$.map(V, $)`, `$.filter(V, $)`, `$.all(V, $)`, `$.exists(V, $)`, `$.exists_one(V, $)`, `$.map(V, $, $)`, `cel.bind(V, $, $)`,
		`$.transformList(V, W, $)`, `$.transformMap(V, W, $)`, `$.transformMapEntry(V, W, {"k": $})`, `$.sortBy(V, $)`, `$.optMap(V, $)`,
		`$.orValue($)`, `$.or($)`, `optional.of($)`, `$.hasValue()`, `$.value()`, `$.unwrapOpt()`, `optional.ofNonZeroValue($)`,
		`$.size()`, `$.contains($)`, `$.startsWith($)`, `$.indexOf($)`, `$.lastIndexOf($)`, `$.replace($, $)`, `$.replace($, $, $)`,
		`$.split($)`, `$.split($, $)`, `$.join()`, `$.join($)`, `$.substring($)`, `$.substring($, $)`, `$.charAt($)`, `$.trim()`,
		`$.lowerAscii()`, `$.reverse()`, `strings.quote($)`, `"%s".format([$])`, `"%d %s".format([$, $])`, `$.matches($)`, `$.find($)`, `$.findAll($)`,
		`$.findAll($, $)`, `$.matches("[a-c]+")`, `$.sort()`, `$.distinct()`, `$.flatten()`, `$.slice($, $)`, `$.first()`, `$.last()`,
		`$.sum()`, `$.max()`, `$.min()`, `$.isSorted()`, `sets.contains($, $)`, `sets.equivalent($, $)`, `sets.intersects($, $)`,
		`math.greatest($, $)`, `math.least($)`, `math.abs($)`, `lists.range($)`, `int($)`, `uint($)`, `double($)`, `string($)`, `bool($)`,
		`bytes($)`, `type($)`, `timestamp($)`, `duration($)`, `quantity($)`, `isQuantity($)`, `$.add($)`, `$.compareTo($)`, `$.isLessThan($)`,
		`semver($)`, `ip($)`, `isIP($)`, `cidr($)`, `url($)`, `isURL($)`, `$.getHost()`, `$.getQuery()`, `$.getHours()`, `$.getHours($)`,
		`format.dns1123Label().validate($)`, `format.named($)`, `$.family()`, `$.major()`, `$.asInteger()`, `$.sign()`,
	}
)

// randomExpression makes an expression that nests at most depth deep. About half
// of its parts have a type that is known only when it runs.
func randomExpression(r *rand.Rand, depth int, variables []string) string {
	if depth == 0 || r.IntN(8) == 0 {
		if len(variables) > 0 && r.IntN(2) == 0 {
			return variables[r.IntN(len(variables))]
		}
		return leaves[r.IntN(len(leaves))]
	}
	var b strings.Builder
	inner := variables
	for _, part := range forms[r.IntN(len(forms))] {
		switch part {
		case '$':
			e := randomExpression(r, depth-1, inner)
			if r.IntN(2) == 0 {
				e = "dyn(" + e + ")"
			}
			b.WriteString("(" + e + ")")
		case 'V', 'W':
			name := "v" + strings.Repeat("v", depth)
			if part == 'W' {
				name = "w" + name
			}
			b.WriteString(name)
			inner = append(inner[:len(inner):len(inner)], name)
		default:
			b.WriteRune(part)
		}
	}
	return b.String()
}

// strictness is an error that cel-go does not always make.
var strictness = regexp.MustCompile(`^no such overload: (matches|find|findAll)\(`)

// TestAgreesWithCel runs random expressions here and as cel-go runs them: the
// calls that pay must not change what an expression means.
func TestAgreesWithCel(t *testing.T) {
	c := compiler(t)
	in, err := c.scope(dyn("object"))
	if err != nil {
		t.Fatal(err)
	}
	object := plain(t, `{"n": 3, "s": "abc", "list": [3, 1, "x", [2]], "map": {"k": {"k": 1}}}`)
	r := rand.New(rand.NewPCG(1, 2))
	values, failures := 0, 0
	for range 5_000 {
		source := randomExpression(r, 3, nil)
		p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
		if err != nil {
			continue
		}
		got := runOn(t, p, object)
		if got.err != nil && got.err.Code == script.Internal {
			t.Fatalf("%s: %v", source, got.err)
		}
		want, wrong := runByCel(t, in.env, source, object)
		switch {
		case got.err != nil && strictness.MatchString(got.err.Message):
			// cel-go takes some values that are no strings.
		case wrong != nil && strings.Contains(wrong.Error(), "invalid qualifier type"):
			// cel-go looks at some keys that it does not need.
		case (got.err == nil) != (wrong == nil):
			t.Errorf("%s\n\tgave %v, %v\n\tin cel-go %v, %v", source, got.value, got.err, want, wrong)
		case got.err != nil:
			failures++
		default:
			values++
			if diff := cmp.Diff(want, got.value); diff != "" {
				t.Errorf("%s (-cel-go +here):\n%s", source, diff)
			}
		}
	}
	if values < 200 || failures < 200 {
		t.Errorf("%d expressions returned a value and %d failed: the test sees too few", values, failures)
	}
}

// runByCel runs an expression without any of our calls in its plan.
func runByCel(t *testing.T, env *cel.Env, source string, object any) (value any, err error) {
	t.Helper()
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v", x)
		}
	}()
	tree, issues := env.Compile(source)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	p, err := env.Program(tree, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, err
	}
	v, _, err := p.Eval(map[string]any{"object": object, "now": noon, "params": map[string]any{}})
	if err != nil {
		return nil, err
	}
	plain, err := plainValue(&meter{limits: script.DefaultLimits()}, v)
	var none *script.Error
	if errors.As(err, &none) {
		return nil, none
	}
	return plain, nil
}

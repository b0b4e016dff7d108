// SPDX-License-Identifier: Apache-2.0

package check

import (
	"strconv"

	"github.com/google/cel-go/common/types"
)

// unifier holds what is known of the type variables of an expression. One is told from
// another by its address.
type unifier struct {
	bound map[*types.Type]*types.Type
	// trail holds what bound had before, to undo what failed.
	trail []binding
	last  int
	// steps is how many parts of types may still be read.
	steps int
}

type binding struct{ variable, before *types.Type }

// step counts a part of a type that is read.
func (u *unifier) step() {
	if u.steps--; u.steps < 0 {
		panic(tooManySteps{})
	}
}

// tooManySteps ends a check.
type tooManySteps struct{}

// variable returns a new type variable.
func (u *unifier) variable() *types.Type {
	u.last++
	return types.NewTypeParamType("_var" + strconv.Itoa(u.last-1))
}

// bind sets what a variable stands for.
func (u *unifier) bind(variable, t *types.Type) {
	u.trail = append(u.trail, binding{variable, u.bound[variable]})
	u.bound[variable] = t
}

// undo goes back to what was known when the trail had a length.
func (u *unifier) undo(length int) {
	for len(u.trail) > length {
		b := u.trail[len(u.trail)-1]
		u.trail = u.trail[:len(u.trail)-1]
		if b.before == nil {
			delete(u.bound, b.variable)
		} else {
			u.bound[b.variable] = b.before
		}
	}
}

// assignable reports whether values of type t2 can stand where t1 is wanted, and binds
// the variables of both so that they can.
func (u *unifier) assignable(t1, t2 *types.Type) bool {
	return u.allAssignable([]*types.Type{t1}, []*types.Type{t2})
}

// allAssignable is assignable for each of two lists.
func (u *unifier) allAssignable(l1, l2 []*types.Type) bool {
	u.trail = u.trail[:0]
	if u.all(l1, l2) {
		return true
	}
	u.undo(0)
	return false
}

func (u *unifier) all(l1, l2 []*types.Type) bool {
	if len(l1) != len(l2) {
		return false
	}
	for i, t := range l1 {
		if !u.unify(t, l2[i]) {
			return false
		}
	}
	return true
}

// unify is assignable for two types; what it bound stays bound where it fails.
func (u *unifier) unify(t1, t2 *types.Type) bool {
	u.step()
	k1, k2 := t1.Kind(), t2.Kind()
	if k2 == types.TypeParamKind {
		if valid, known := u.substitutes(t1, t2); valid || known {
			return valid
		}
	}
	if k1 == types.TypeParamKind {
		valid, _ := u.substitutes(t2, t1)
		return valid
	}
	if isAny(t1) || isAny(t2) {
		return true
	}
	if k1 == types.NullTypeKind {
		return isNullable(t2)
	}
	if k2 == types.NullTypeKind {
		return isNullable(t1)
	}
	switch k1 {
	case types.TypeKind:
		return k2 == types.TypeKind
	case types.OpaqueKind, types.ListKind, types.MapKind:
		return k1 == k2 && t1.TypeName() == t2.TypeName() && u.all(t1.Parameters(), t2.Parameters())
	}
	return t2.IsAssignableType(t1)
}

// substitutes reports whether t1 can stand for the variable v, and whether it is known
// what v stands for.
func (u *unifier) substitutes(t1, v *types.Type) (valid, known bool) {
	if t1 == v {
		return true, true
	}
	if sub, ok := u.bound[v]; ok {
		if u.same(t1, sub) {
			return true, true
		}
		if !u.unify(t1, sub) {
			return false, true
		}
		if general := u.general(t1, sub); u.free(v, general) {
			u.bind(v, general)
		}
		return true, true
	}
	if u.free(v, t1) {
		u.bind(v, t1)
		return true, false
	}
	return false, false
}

// same reports whether two types are the same.
func (u *unifier) same(t1, t2 *types.Type) bool {
	u.step()
	if t1 == t2 {
		return true
	}
	if t1.Kind() != t2.Kind() || t1.TypeName() != t2.TypeName() || len(t1.Parameters()) != len(t2.Parameters()) {
		return false
	}
	for i, p := range t1.Parameters() {
		if !u.same(p, t2.Parameters()[i]) {
			return false
		}
	}
	return true
}

// general returns the more general of two types that unify.
func (u *unifier) general(t1, t2 *types.Type) *types.Type {
	if u.covers(t1, t2) {
		return t1
	}
	return t2
}

// covers reports whether t1 is t2, or less specific.
func (u *unifier) covers(t1, t2 *types.Type) bool {
	u.step()
	k1, k2 := t1.Kind(), t2.Kind()
	switch {
	case isDyn(t1) || k1 == types.TypeParamKind:
		return true
	case isDyn(t2) || k2 == types.TypeParamKind || k1 != k2:
		return false
	}
	switch k1 {
	case types.OpaqueKind, types.ListKind, types.MapKind:
		if t1.TypeName() != t2.TypeName() || len(t1.Parameters()) != len(t2.Parameters()) {
			return false
		}
		for i, p := range t1.Parameters() {
			if !u.covers(p, t2.Parameters()[i]) {
				return false
			}
		}
		return true
	case types.TypeKind:
		return true
	}
	return u.same(t1, t2)
}

// free reports whether a variable does not occur within a type.
func (u *unifier) free(v, within *types.Type) bool {
	u.step()
	if v == within {
		return false
	}
	switch within.Kind() {
	case types.TypeParamKind:
		sub, ok := u.bound[within]
		return !ok || u.free(v, sub)
	case types.OpaqueKind, types.ListKind, types.MapKind, types.TypeKind:
		for _, p := range within.Parameters() {
			if !u.free(v, p) {
				return false
			}
		}
	}
	return true
}

// resolve returns a type with what its variables stand for in their place; with closed,
// those that stand for nothing become dyn.
func (u *unifier) resolve(t *types.Type, closed bool) *types.Type {
	u.step()
	if t.Kind() == types.TypeParamKind {
		if sub, ok := u.bound[t]; ok {
			return u.resolve(sub, closed)
		}
		if closed {
			return types.DynType
		}
		return t
	}
	return replace(t, func(p *types.Type) *types.Type { return u.resolve(p, closed) })
}

// instance returns a type of an overload with variables in the place of its parameters.
func (u *unifier) instance(t *types.Type, params []string, variables []*types.Type) *types.Type {
	u.step()
	if t.Kind() == types.TypeParamKind {
		for i, name := range params {
			if t.TypeName() == name {
				return variables[i]
			}
		}
		return t
	}
	return replace(t, func(p *types.Type) *types.Type { return u.instance(p, params, variables) })
}

// replace returns a type with other parameters; t itself where they are the same.
func replace(t *types.Type, with func(*types.Type) *types.Type) *types.Type {
	old := t.Parameters()
	if len(old) == 0 {
		return t
	}
	changed := false
	params := make([]*types.Type, len(old))
	for i, p := range old {
		params[i] = with(p)
		changed = changed || params[i] != p
	}
	if !changed {
		return t
	}
	switch t.Kind() {
	case types.ListKind:
		return types.NewListType(params[0])
	case types.MapKind:
		return types.NewMapType(params[0], params[1])
	case types.TypeKind:
		return types.NewTypeTypeWithParam(params[0])
	case types.OpaqueKind:
		return types.NewOpaqueType(t.TypeName(), params...)
	}
	return t
}

// isDyn reports whether t is the type of anything.
func isDyn(t *types.Type) bool { return t.Kind() == types.DynKind || t.Kind() == types.AnyKind }

// isAny reports whether t is the type of anything, or that of a fault.
func isAny(t *types.Type) bool { return isDyn(t) || t.Kind() == types.ErrorKind }

// isNullable reports whether null can stand where t is wanted.
func isNullable(t *types.Type) bool {
	switch t.Kind() {
	case types.OpaqueKind, types.StructKind, types.AnyKind, types.DurationKind, types.TimestampKind:
		return true
	}
	return t.IsAssignableType(types.NullType)
}

// optional returns what an optional type holds, and whether t is one.
func optional(t *types.Type) (*types.Type, bool) {
	if t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type" {
		return t.Parameters()[0], true
	}
	return t, false
}

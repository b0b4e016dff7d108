// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// celParsers are regular expressions, and texts that parsers take long for.
func celParsers() []Attack {
	return []Attack{
		{"regular expression", Forever(`!object.s.matches("(a{20}){20}b")`), script.Gas},
		{"computed regular expression", Forever(`!object.s.matches(object.pattern)`), script.Gas},
		{"large regular expression", Forever(`object.s.matches(object.large) || true`), Limited},
		{"different regular expression", Forever(`object.s.matches("(a*)*b" + string(i)) || true`), script.Gas},
		{"quantity with many digits", Forever(`isQuantity(object.digits) || true`), script.Gas},
		{"quantity with an exponent", Forever(`isQuantity("0.1e-99999999") || true`), script.Gas},
		{"quantities far apart", Forever(`quantity("1e99").add(quantity("9e-9")).compareTo(quantity("1")) > 0`), script.Gas},
		{"time zone", Forever(`timestamp(object.time).getHours(object.zone) >= 0`), script.Gas},
		{"query", Forever(`url(object.url).getQuery().size() > 0`), script.Gas},
		{"semver", Forever(`semver(object.semver).compareTo(semver(object.semver)) == 0`), script.Gas},
		{"name that is too long", Forever(`format.dns1123Subdomain().validate(object.big).hasValue()`), script.Gas},
		{"url of a long text", Forever(`isURL(object.big) || true`), script.Gas},
		{"url that is long", Forever(`url(object.url).getHost() == "a"`), script.Gas},
		{"semver of a long text", Forever(`isSemver(object.big) || true`), script.Gas},
		{"address of a long text", Forever(`isIP(object.big) || isCIDR(object.big) || true`), script.Gas},
		{"duration of a long text", Forever(`duration(object.digits + "h") > duration("1h") || true`), Limited},
		{"timestamp of a long text", Forever(`timestamp(object.big) > now || true`), script.Gas},
		{"quantity of a long text", `quantity(object.digits + "e9")`, script.Memory},
		{"quantities summed", Forever(`quantity("9999999999999999999").add(quantity("1n")).compareTo(quantity("1")) == 1`), script.Gas},
		{"quantity with zeros", Forever(`isQuantity("0." + object.digits) || true`), script.Memory},
		{"time zone of a path", Forever(`now.getHours("../../../../etc/passwd") == 0 || true`), script.Gas},
		{"time zone of a long text", Forever(`now.getHours(object.big) == 0 || true`), script.Gas},
		{"expression with counts", `object.s.matches("((a{100}){100}){100}")`, script.Syntax},
		{"expression that is nested", `object.s.matches("` + repeated("(", 900) + "a" + repeated(")", 900) + `")`, script.Syntax},
		{"expression for all", Forever(`object.medium.findAll("a").size() > 0`), Limited},
		{"expression per item", Forever(`object.names.all(n, n.matches("^[0-9]+$"))`), script.Gas},
		{"find with a built expression", Forever(`object.s.find("a*" + string(i)) != "" || true`), script.Gas},
		{"format of a name in a loop", Forever(`format.named("dns1123Label").value().validate(object.medium).hasValue()`), script.Gas},
	}
}

return require("string") == string, require("math").floor(1.5), require("kube") == kube
--> true, 1, true
----
return require("socket")
--x <string>:1:17: there is no module "socket"; known are kube, math, os, string, table
----
return package.loaded
--x <string>:1:8: package is not available: require returns kube, math, os, string, table, and by a constant name the modules of a bundle
----
return kube.resourceAdd("1Gi", "512Mi"), kube.resourceAdd("100m", 1), kube.getResourceQuantity("100m"), kube.getResourceQuantity("1Gi"), kube.getResourceQuantity(nil)
--> "1536Mi", "1100m", 0.1, 1073741824, 0
----
return kube.resourceAdd("1x")
--x <string>:1: kube.resourceAdd: "1x" is not a quantity such as 500m or 2Gi
----
return kube.get({a = {b = 1}}, "a.b"), kube.get({}, "a.b.c", "default"), kube.get({["a.b"] = {c = 1}}, {"a.b", "c"}), kube.get(nil, "x"), kube.get({a = 1}, "a.b")
--> 1, "default", 1, nil, nil
----
local o = {}
kube.get(o, 5)
--x <string>:2: kube.get: path must be a string with dots between the keys, or a list of keys, not a number; the form is get([object], path, [default])
----
local o = {spec = {x = 1}}
kube.get(o, "spec").x = 2
return o.spec.x
--> 2
----
local o = {status = {conditions = {{type = "Ready", status = "True"}}}}
kube.condition(o, "Ready").status = "False"
return o.status.conditions[1].status, kube.condition(o, "Other"), kube.condition(o.status.conditions, "Ready").type
--> "False", nil, "Ready"
----
return kube.merge({a = 1, b = {c = 2, d = 3}}, {b = {c = 4}, e = 5})
--> {["a"]=1, ["b"]={["c"]=4, ["d"]=3}, ["e"]=5}
----
return kube.list(), kube.list(1, nil, 3), kube.flinkMemory("2048m"), kube.flinkMemory("1.5g")
--x <string>:1: kube.flinkMemory: the memory size "1.5g" has no unit of Flink: b, k, m, g or t
----
return kube.getPodDependencies({}, nil), kube.accuratePodRequirements({spec = {containers = {}}})
--> {}, nil
----
return kube.accuratePodRequirements({spec = {containers = {{resources = {limits = {cpu = 1, memory = "1Gi"}}}}}})
--> {["resourceRequest"]={["cpu"]="1", ["memory"]="1Gi"}}
----
return kube.get(print, "x")
--x <string>:1:17: kube.get: object must be a map, not a function; the form is get([object], path, [default])
----
return kube.nope()
--x <string>:1:8: attempt to call a nil value (kube.nope)
----
return kube.merge({f = print}, {})
--x <string>:1: bad argument #1 to 'kube.merge': it has a function at .f

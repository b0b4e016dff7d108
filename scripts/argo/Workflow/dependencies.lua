local references = require("lib.references")

function GetDependencies(obj)
  return references(obj.spec or {}, kube.get(obj, "metadata.namespace", "default"))
end

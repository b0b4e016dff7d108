local application = require("lib.application")

function GetComponents(obj)
  return application.components(kube.get(obj, "spec.template"))
end

local application = require("lib.application")

function GetComponents(obj)
  return application.components(obj.spec)
end

local health = require("lib.health")

function InterpretHealth(obj)
  return health.ready(obj, { Succeeded = true })
end

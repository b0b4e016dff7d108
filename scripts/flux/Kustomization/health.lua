local health = require("lib.health")

function InterpretHealth(obj)
  return health.ready(obj, { ReconciliationSucceeded = true })
end

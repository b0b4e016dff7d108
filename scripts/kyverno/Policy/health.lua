local policy = require("lib.policy")

function InterpretHealth(obj)
  return policy.health(obj)
end

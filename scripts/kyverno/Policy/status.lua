local policy = require("lib.policy")

function ReflectStatus(obj)
  return policy.reflect(obj)
end

local current = require("lib.current")

-- Ready is True while the Secret holds a valid certificate for this spec. While cert-manager
-- (1.8 to 1.19) issues one, Issuing is True, and Ready may be False. After a
-- failure Issuing is False, until it tries again.
function InterpretHealth(obj)
  if #kube.get(obj, "status.conditions", {}) == 0 then
    return false
  end
  local ready = current(obj, "Ready")
  if ready == "True" then
    return true
  end
  if ready ~= "False" or current(obj, "Issuing") == "True" then
    return nil
  end
  return false
end

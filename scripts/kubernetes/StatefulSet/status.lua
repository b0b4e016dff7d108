local counts = require("lib.counts")

function ReflectStatus(obj)
  return counts.reflect(obj)
end

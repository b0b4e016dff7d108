local tasks = require("lib.tasks")

function GetComponents(obj)
  return tasks.components(obj)
end

local jobs = require("lib.jobs")

function GetComponents(obj)
  return jobs.components(obj)
end

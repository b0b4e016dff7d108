local jobs = require("lib.jobs")

function GetDependencies(obj)
  local all = kube.list()
  jobs.each(obj, function(_, job)
    all = kube.concat(all, kube.getPodDependencies(job.template or {}, kube.get(obj, "metadata.namespace")))
  end)
  return all
end

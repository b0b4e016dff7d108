-- The job that it is taken of. One of a savepoint that is there already has no job.
function GetDependencies(obj)
  local job = kube.get(obj, "spec.jobReference", {})
  if (job.name or "") == "" then
    return kube.list()
  end
  return {
    {
      apiVersion = "flink.apache.org/v1beta1",
      kind = job.kind or "FlinkDeployment",
      namespace = kube.get(obj, "metadata.namespace", "default"),
      name = job.name,
    },
  }
end

-- The session cluster that runs the job.
function GetDependencies(obj)
  local name = kube.get(obj, "spec.deploymentName", "")
  if name == "" then
    return kube.list()
  end
  return {
    {
      apiVersion = "flink.apache.org/v1beta1",
      kind = "FlinkDeployment",
      namespace = kube.get(obj, "metadata.namespace", "default"),
      name = name,
    },
  }
end

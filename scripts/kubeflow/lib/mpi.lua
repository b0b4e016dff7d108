-- The replica specs of an MPIJob. Workers without a number are none for the training
-- operator (v1). The MPI operator (v2beta1) refuses them; here they count as one.
return function(obj)
  local specs = kube.get(obj, "spec.mpiReplicaSpecs")
  local worker = specs and specs.Worker
  if worker and worker.replicas == nil and obj.apiVersion == "kubeflow.org/v1" then
    worker.replicas = 0
  end
  return specs
end

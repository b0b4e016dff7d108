-- The field of spec that holds the replica specs of a job, by kind.
return {
  JAXJob = "jaxReplicaSpecs", MPIJob = "mpiReplicaSpecs", PaddleJob = "paddleReplicaSpecs",
  PyTorchJob = "pytorchReplicaSpecs", TFJob = "tfReplicaSpecs", XGBoostJob = "xgbReplicaSpecs",
}

-- The Secrets by which an object store is reached (BarmanObjectStoreConfiguration).
local fields = {
  "s3Credentials.accessKeyId", "s3Credentials.secretAccessKey", "s3Credentials.region", "s3Credentials.sessionToken",
  "azureCredentials.connectionString", "azureCredentials.storageAccount", "azureCredentials.storageKey",
  "azureCredentials.storageSasToken", "googleCredentials.applicationCredentials", "endpointCA",
}

return function(store, namespace)
  local all = kube.list()
  for _, field in ipairs(fields) do
    all = kube.concat(all, kube.references("Secret", namespace, kube.get(store, field .. ".name")))
  end
  return all
end

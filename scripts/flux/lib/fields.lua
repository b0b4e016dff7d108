-- The fields of the status of each kind that are kept.
--   last   of the last cluster by name that has a value
--   sums   numbers that are added up
--   unset  their values before any cluster reports

local fields = {}

fields.HelmRelease = {
  last = {
    "helmChart", "history", "lastAppliedRevision", "lastAttemptedConfigDigest", "lastAttemptedReleaseAction",
    "lastAttemptedRevision", "lastAttemptedRevisionDigest", "lastAttemptedValuesChecksum",
    "lastReleaseRevision", "storageNamespace",
  },
  sums = { "failures", "installFailures", "upgradeFailures" },
  unset = {
    failures = 0, installFailures = 0, upgradeFailures = 0, helmChart = "", lastAppliedRevision = "",
    lastAttemptedRevision = "", lastAttemptedValuesChecksum = "", lastReleaseRevision = 0,
  },
}

fields.Kustomization = {
  last = { "lastAppliedOriginRevision", "lastAppliedRevision", "lastAttemptedRevision" },
  unset = { lastAppliedRevision = "", lastAttemptedRevision = "" },
}

fields.GitRepository = {
  last = {
    "artifact", "includedArtifacts", "observedIgnore", "observedInclude", "observedRecurseSubmodules",
    "observedSparseCheckout", "sourceVerificationMode",
  },
  unset = {},
}

fields.OCIRepository = {
  last = { "artifact", "observedIgnore", "observedLayerSelector", "url" },
  unset = { url = "" },
}

fields.HelmRepository = {
  last = { "artifact", "url" },
  unset = { url = "" },
}

fields.HelmChart = {
  last = { "artifact", "observedChartName", "observedSourceArtifactRevision", "observedValuesFiles", "url" },
  unset = { observedChartName = "", observedSourceArtifactRevision = "", url = "" },
}

fields.Bucket = {
  last = { "artifact", "observedIgnore", "url" },
  unset = { url = "" },
}

return fields

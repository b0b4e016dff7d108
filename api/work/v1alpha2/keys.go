// SPDX-License-Identifier: Apache-2.0

package v1alpha2

// Labels with permanent IDs. The value is a UUID that stays the same when the
// object is restored from a backup under a new metadata.uid.
const (
	// ResourceBindingPermanentIDLabel stands on a ResourceBinding, on each Work
	// made from it and on the manifest in that Work.
	ResourceBindingPermanentIDLabel = "resourcebinding.karmada.io/permanent-id"
	// ClusterResourceBindingPermanentIDLabel is its twin for a
	// ClusterResourceBinding.
	ClusterResourceBindingPermanentIDLabel = "clusterresourcebinding.karmada.io/permanent-id"
	// WorkPermanentIDLabel stands on a Work and on the manifest in it.
	WorkPermanentIDLabel = "work.karmada.io/permanent-id"
)

// Labels that say who manages an object.
const (
	// ManagedLabel, with the value ManagedLabelValue, stands on each object of a
	// member that the control plane manages.
	ManagedLabel = "karmada.io/managed"
	// ManagedLabelValue is the only value of ManagedLabel that counts.
	ManagedLabelValue = "true"
	// SystemLabel, with the value SystemLabelValue, stands on objects that the
	// control plane keeps for itself, for example execution namespaces.
	SystemLabel = "karmada.io/system"
	// SystemLabelValue is the only value of SystemLabel that counts.
	SystemLabelValue = "true"
	// BindingManagedByLabel names the controller that owns a binding in place of
	// a policy.
	BindingManagedByLabel = "binding.karmada.io/managed-by"
	// DependedByLabelPrefix starts the label of a binding that others depend on;
	// names.DependedByLabel returns the whole key. The value is the permanent ID
	// of the binding that depends.
	DependedByLabelPrefix = "resourcebinding.karmada.io/depended-by-"
)

// Annotations that name the binding a Work or a manifest was made from.
const (
	// ResourceBindingNamespaceAnnotation holds the binding's namespace.
	ResourceBindingNamespaceAnnotation = "resourcebinding.karmada.io/namespace"
	// ResourceBindingNameAnnotation holds the binding's name.
	ResourceBindingNameAnnotation = "resourcebinding.karmada.io/name"
	// ClusterResourceBindingNameAnnotation holds the name of the
	// ClusterResourceBinding.
	ClusterResourceBindingNameAnnotation = "clusterresourcebinding.karmada.io/name"
	// DependenciesAnnotation stands on a binding: what its template depends on,
	// a JSON list of {apiVersion, kind, namespace, name or labelSelector}.
	DependenciesAnnotation = "resourcebinding.karmada.io/dependencies"
)

// FailoverAnnotation holds, on a Work, what the failover of its binding needs to be reported
// of its object: FailoverMoved and FailoverState, joined with a comma. It is Dragoman's own.
const (
	FailoverAnnotation = "work.dragoman.io/failover"
	// FailoverMoved means that the object moves where it stays unhealthy.
	FailoverMoved = "moved"
	// FailoverState means that its state is reported.
	FailoverState = "state"
)

// RestoredFromAnnotation holds, on a Work, the name of the state that its copy was made with,
// as binding.Carried has it, or RestoredFromNone. It is set when the Work is created, and stays;
// the Work of a binding whose policy asked for no state then has none. It is Dragoman's own.
const (
	RestoredFromAnnotation = "work.dragoman.io/restored-from"
	// RestoredFromNone means that the copy was made with no state.
	RestoredFromNone = "none"
)

// BindingGenerationAnnotation holds, on a Work, the generation of its binding of which its content
// was last made. It changes with the content alone: a generation that changes no Work is on none.
const BindingGenerationAnnotation = "work.dragoman.io/binding-generation"

// ShareAnnotation holds, on a Work of an object whose replicas are divided, the share with which
// its copy was created: replicas of all, as 2/5.
const ShareAnnotation = "work.dragoman.io/share"

// IncompleteAnnotation stands on the answer of a script for Retain: what of the desired object is
// not written, since it cannot change there, and what to do. The Work is then not applied, with
// this as its message, though the rest is written. It reaches no member.
const IncompleteAnnotation = "work.dragoman.io/incomplete"

// Annotations on manifests, and through them on the objects of members.
const (
	// WorkNamespaceAnnotation holds the namespace of the object's Work.
	WorkNamespaceAnnotation = "work.karmada.io/namespace"
	// WorkNameAnnotation holds the name of the object's Work.
	WorkNameAnnotation = "work.karmada.io/name"
	// OwnerAnnotation holds, on an object of a member, which control plane wrote it. It is
	// Dragoman's own.
	OwnerAnnotation = "work.dragoman.io/owner"
	// ConflictResolutionAnnotation specifies what to do with an object that stands in
	// the member already: ConflictResolutionOverwrite or
	// ConflictResolutionAbort. Users may set it on a template, where it goes
	// before the policy's field; it stands on Works too.
	ConflictResolutionAnnotation = "work.karmada.io/conflict-resolution"
	// ConflictResolutionOverwrite takes the member's object over. The
	// annotation is lower case, the policy's field is not.
	ConflictResolutionOverwrite = "overwrite"
	// ConflictResolutionAbort leaves the member's object alone.
	ConflictResolutionAbort = "abort"
	// TemplateUIDAnnotation holds the template's metadata.uid.
	TemplateUIDAnnotation = "resourcetemplate.karmada.io/uid"
	// TemplateGenerationAnnotation holds the template's metadata.generation, in
	// decimal.
	TemplateGenerationAnnotation = "resourcetemplate.karmada.io/generation"
	// ManagedLabelsAnnotation lists the label keys that were set from here,
	// sorted and joined with commas. Keys that are on a member and not in the
	// list belong to the member.
	ManagedLabelsAnnotation = "resourcetemplate.karmada.io/managed-labels"
	// ManagedAnnotationsAnnotation is the same list for annotations; it holds
	// its own key and that of ManagedLabelsAnnotation.
	ManagedAnnotationsAnnotation = "resourcetemplate.karmada.io/managed-annotations"
)

// Finalizers of bindings and Works.
const (
	// BindingFinalizer holds a ResourceBinding until its Works are deleted.
	BindingFinalizer = "karmada.io/binding-controller"
	// ClusterBindingFinalizer is its twin for a ClusterResourceBinding.
	ClusterBindingFinalizer = "karmada.io/cluster-resource-binding-controller"
	// DependenciesFinalizer holds a binding with propagateDeps until the
	// bindings of its dependencies no longer name it.
	DependenciesFinalizer = "karmada.io/binding-dependencies-distributor"
	// ExecutionFinalizer holds a Work until its objects are deleted on the
	// member.
	ExecutionFinalizer = "karmada.io/execution-controller"
)

import type { LabelSelector } from './label-selector.ts'

/** Selects pods by their labels and by the labels of their namespace. An absent selector matches everything. */
export interface EnablementSelector {
  readonly podSelector?: LabelSelector | null | undefined
  readonly namespaceSelector?: LabelSelector | null | undefined
}

/** Settings of the node that decide about a pod. */
export interface DecisionSettings {
  readonly excludeNamespaces: readonly string[]
  /** Namespace of the node agent. */
  readonly agentNamespace: string
  /** Selectors of ambient pods; one match is enough. Empty if ambient mode is off. */
  readonly ambientSelectors: readonly EnablementSelector[]
  /**
   * True if the annotation value `disabled` excludes a pod from ambient mode. For node-level modes, where users set it.
   */
  readonly ambientOptOut: boolean
}

import type { LabelSelector } from './label-selector.ts'

/** Selects pods by their labels and by the labels of their namespace. An absent selector matches every pod. */
export interface EnablementSelector {
  readonly podSelector?: LabelSelector | null | undefined
  readonly namespaceSelector?: LabelSelector | null | undefined
}

/** Settings of the node that decide if a pod's traffic is redirected. */
export interface DecisionSettings {
  readonly excludeNamespaces: readonly string[]
  /** Namespace in which the node agent's own pod runs. */
  readonly agentNamespace: string
  /** Selectors of ambient pods: one selector must match. Empty if ambient mode is off. */
  readonly ambientSelectors: readonly EnablementSelector[]
  /**
   * True if the redirection annotation `disabled` excludes a pod from ambient mode. Used only if the redirection rules
   * are in the node's namespace.
   */
  readonly ambientOptOut: boolean
}

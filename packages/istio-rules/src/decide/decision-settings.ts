import type { LabelSelector } from './label-selector.ts'

/** Chooses pods by their labels and those of their namespace; a selector that is not given matches everything. */
export interface EnablementSelector {
  readonly podSelector?: LabelSelector | null | undefined
  readonly namespaceSelector?: LabelSelector | null | undefined
}

/** Settings of the node that decide about a pod. */
export interface DecisionSettings {
  readonly excludeNamespaces: readonly string[]
  /** The namespace of the node agent. */
  readonly agentNamespace: string
  /** Which pods are ambient: those any entry chooses. Empty when ambient mode is off. */
  readonly ambientSelectors: readonly EnablementSelector[]
  /** A pod whose annotation says `disabled` is not ambient: on the node level, where users write it. */
  readonly ambientOptOut: boolean
}

/**
 * Explains the plugin's decision about a pod, and traces packets. The input is text, not files. The code is pure and
 * runs in a browser.
 *
 * @example
 * ```ts
 * import { decidePod, podInText } from '@cni/istio-redirect/explain'
 *
 * const settings = { excludeNamespaces: [], agentNamespace: '', ambientSelectors: [], ambientOptOut: false }
 * export const decision = async (yaml: string) => decidePod(await podInText(yaml, 'pod.yaml'), { settings })
 * ```
 *
 * @module
 */

export { completePacket } from './complete-packet.ts'
export { decidePod, type PodDecision } from './decide-pod.ts'
export { documentsInText, type PodDocument, podInText } from './pods-in-text.ts'

import type { PodAnswer } from '../model/pod-answer.ts'
import { h, show } from './dom.ts'

const titles = { captured: 'Captured', skipped: 'Not captured', refused: 'Refused' } as const
const verbs = {
  captured: 'gets rules:',
  skipped: 'gets no rules, and all of its traffic goes by the proxy:',
  refused: 'does not start. The plugin says:',
} as const

/** Shows the plugin's decision about a pod with its reason. */
export function showDecision(parent: HTMLElement, answer: PodAnswer): void {
  const { kind, pod, why, because, log, document: printed, isExample } = answer
  show(
    parent,
    h(
      'section',
      { class: `decision decision-${kind}`, 'aria-labelledby': 'decision-title' },
      h(
        'h2',
        { id: 'decision-title' },
        h('span', { 'aria-hidden': 'true', class: 'sign' }, kind === 'captured' ? '✓' : '✕'),
        titles[kind],
      ),
      h('p', {}, h('code', {}, pod), ` ${verbs[kind]} `, h('strong', { id: 'why' }, why)),
      because !== undefined && h('p', {}, 'What decides: ', h('code', { id: 'because' }, because)),
      ...log.map((line) => h('p', { class: 'log' }, h('code', {}, line))),
      printed !== undefined &&
        h('details', {}, h('summary', {}, 'What istio-cni prints'), h('pre', { tabindex: 0 }, printed)),
      isExample &&
        h(
          'p',
          { class: 'hint' },
          'Annotations alone were given; the pod around them is an example with an application and, in sidecar mode, a proxy.',
        ),
    ),
  )
}

/** Shows an error message at the place where the page shows the plugin's decision. */
export function showProblem(parent: HTMLElement, problem: string): void {
  show(
    parent,
    h(
      'section',
      { class: 'decision decision-refused', role: 'alert' },
      h('h2', {}, h('span', { 'aria-hidden': 'true', class: 'sign' }, '✕'), 'This cannot be read'),
      h('p', { id: 'why' }, problem),
    ),
  )
}

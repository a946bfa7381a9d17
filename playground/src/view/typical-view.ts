import type { PodAnswer } from '../model/pod-answer.ts'
import { h, show } from './dom.ts'
import { endLabel } from './ends.ts'

/** Shows typical packets in a table. A button copies a packet into the form. */
export function showTypical(parent: HTMLElement, { typical }: PodAnswer, follow: (packet: string) => void): void {
  if (typical.length === 0) {
    show(parent, h('p', { class: 'soft' }, 'The pod does not start, so there are no packets.'))
    return
  }
  const rows = typical.map(({ who, what, packet, end, hits, seen }, at) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, who, h('span', { class: 'what' }, ` ${what}`)),
      h('td', { class: 'end-cell' }, endLabel(end)),
      h('td', { class: 'number' }, `${hits.length} / ${seen}`),
      h(
        'td',
        {},
        h(
          'button',
          { type: 'button', id: `follow-${at}`, click: () => follow(packet), 'aria-label': `Follow: ${who} ${what}` },
          'Follow',
        ),
      ),
    ),
  )
  show(
    parent,
    h(
      'table',
      { class: 'typical' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ...['Who does what', 'Where it ends', 'Rules matched / seen', ''].map((title) =>
            h(title === '' ? 'td' : 'th', title === '' ? {} : { scope: 'col' }, title),
          ),
        ),
      ),
      h('tbody', {}, ...rows),
    ),
  )
}

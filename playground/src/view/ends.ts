import type { End } from '../model/walk.ts'
import { h } from './dom.ts'

/** Sign for each destination of a packet, because colour alone is not accessible. */
export const signs: Readonly<Record<End['kind'], string>> = {
  proxy: '◆',
  application: '●',
  out: '↗',
  dropped: '✕',
  undecided: '?',
}

/** Label text for each destination of a packet. */
export const words: Readonly<Record<End['kind'], string>> = {
  proxy: 'Proxy',
  application: 'Application',
  out: 'Out',
  dropped: 'Dropped',
  undecided: 'Not decided',
}

/** Label element for a packet's destination. */
export const endLabel = ({ kind, title }: End): HTMLElement =>
  h('span', { class: `end end-${kind}` }, h('span', { 'aria-hidden': 'true' }, `${signs[kind]} `), title)

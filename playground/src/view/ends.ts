import type { End } from '../model/walk.ts'
import { h } from './dom.ts'

/** A sign for each end: colour alone says nothing. */
export const signs: Readonly<Record<End['kind'], string>> = {
  proxy: '◆',
  application: '●',
  out: '↗',
  dropped: '✕',
  undecided: '?',
}

/** Words for each end. */
export const words: Readonly<Record<End['kind'], string>> = {
  proxy: 'Proxy',
  application: 'Application',
  out: 'Out',
  dropped: 'Dropped',
  undecided: 'Not decided',
}

/** An end as a label. */
export const endLabel = ({ kind, title }: End): HTMLElement =>
  h('span', { class: `end end-${kind}` }, h('span', { 'aria-hidden': 'true' }, `${signs[kind]} `), title)

type Child = Node | string | undefined | false
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>

/** Creates an HTML element. Strings become text nodes, so pasted text is never parsed as HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  fill(element, attributes, children)
  return element
}

/** Creates an SVG element. */
export function s(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  fill(element, attributes, children)
  return element
}

/** Finds an element of the page by its id. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`the page has no ${type.name} #${id}`)
}

/** Replaces an element's content. Keeps the focus on the element with the same id. */
export function show(parent: HTMLElement, ...children: readonly Child[]): void {
  const focused = document.activeElement?.id ?? ''
  parent.replaceChildren(...children.filter((child) => child !== undefined && child !== false))
  if (focused !== '' && document.activeElement?.id !== focused) {
    const again = document.getElementById(focused)
    if (again !== null && parent.contains(again)) again.focus()
  }
}

// internal

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== undefined && child !== false))
}

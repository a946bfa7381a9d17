import type { Edit } from './edit.ts'

/** Changes QuickJS so that JSON.parse accepts exactly the grammar of JSON. */
export const JSON_EDITS: readonly Edit[] = [
  {
    why: 'JSON has eight escapes, and four digits behind \\\\u',
    find: 'static __exception int js_parse_string(JSParseState *s, int sep,\n                                       BOOL do_throw, const uint8_t *p,\n                                       JSToken *token, const uint8_t **pp)\n{',
    replace: `static BOOL json_escape_is_valid(const uint8_t *p)
{
    if (*p != 'u')
        return *p != 0 && strchr("\\"\\\\/bfnrt", *p) != NULL;
    for (int i = 1; i <= 4; i++) {
        if (from_hex(p[i]) < 0)
            return FALSE;
    }
    return TRUE;
}

static __exception int js_parse_string(JSParseState *s, int sep,
                                       BOOL do_throw, const uint8_t *p,
                                       JSToken *token, const uint8_t **pp)
{`,
    times: 1,
  },
  {
    why: 'the check of the edit above: without a function it is JSON',
    find: `            c = *p;
            /* XXX: need a specific JSON case to avoid
               accepting invalid escapes */
`,
    replace: `            c = *p;
            if (!s->cur_func && !json_escape_is_valid(p))
                goto invalid_escape;
`,
    times: 1,
  },
  {
    why: 'JSON has digits behind a point and behind e, and no needless zero before',
    find: 'static __exception int json_next_token(JSParseState *s)\n{',
    replace: `static BOOL json_number_is_valid(const uint8_t *p)
{
    if (*p == '-')
        p++;
    if (*p == '0' && is_digit(p[1]))
        return FALSE;
    while (is_digit(*p))
        p++;
    if (*p == '.') {
        if (!is_digit(p[1]))
            return FALSE;
        p++;
        while (is_digit(*p))
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-')
            p++;
        return is_digit(*p);
    }
    return TRUE;
}

static __exception int json_next_token(JSParseState *s)
{`,
    times: 1,
  },
  {
    why: 'the check of the edit above',
    find: `            if (!s->ext_json) {
                flags = 0;
                radix = 10;`,
    replace: `            if (!s->ext_json) {
                if (!json_number_is_valid(p))
                    goto def_token;
                flags = 0;
                radix = 10;`,
    times: 1,
  },
]

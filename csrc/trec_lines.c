/* The lines of a TREC file: where the words of each lie, and what its number is. */
#include <math.h>

#include "internal.h"

#define WORDS 6

typedef struct {
    const char *start, *end;
} word;

/* ---- numbers ---- */

#define MOST_DIGITS 19 /* of a whole number that 64 bits hold, ten to which they hold too */
#define MOST_POWER 22  /* of ten that is exact in a double */
#define NO_NUMBER 1000 /* an exponent beyond all */

static const double powers[MOST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Digits into *mantissa; how many they are, leading zeros aside. */
static const char *read_digits(const char *at, const char *end, uint64_t *mantissa, int *n_digits)
{
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        *n_digits += *n_digits > 0 || *at != '0';
        if (*n_digits <= MOST_DIGITS)
            *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

/* The power of ten behind an e; NO_NUMBER where it is none. */
static int read_exponent(const char *at, const char *end)
{
    int negative = at < end && *at == '-', exponent = 0;
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || end - at > 3)
        return NO_NUMBER;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return NO_NUMBER;
        exponent = exponent * 10 + (*at - '0');
    }
    return negative ? -exponent : exponent;
}

/* mantissa / 10^power, rounded once, for a mantissa > 0 and a power up to MOST_DIGITS: a quotient of 63 bits
 * or more, whose last tells whether anything is left. */
static double divide(uint64_t mantissa, int power)
{
    uint64_t divisor = 1, quotient;
    unsigned __int128 dividend;
    int shift = 63;
    for (; power > 0; power--)
        divisor *= 10;
    for (; !(mantissa >> 63); shift++)
        mantissa <<= 1;
    for (; !(divisor >> 63); shift--)
        divisor <<= 1;
    dividend = (unsigned __int128)mantissa << 63;
    quotient = (uint64_t)(dividend / divisor);
    return ldexp((double)(quotient | (dividend % divisor != 0)), -shift);
}

/* The double nearest to a decimal number; NaN where that takes a slower reader: very long, large or small
 * numbers, infinities, and what is no number. */
static double read_number(word text)
{
    const char *at = text.start, *digits, *point;
    uint64_t mantissa = 0;
    int n_digits = 0, exponent = 0, negative = *at == '-';
    double value;
    digits = at += *at == '-' || *at == '+';
    point = at = read_digits(at, text.end, &mantissa, &n_digits);
    if (at < text.end && *at == '.') {
        at = read_digits(at + 1, text.end, &mantissa, &n_digits);
        exponent = (int)(point + 1 - at);
    }
    if (at - digits - (at > point) < 1 || n_digits > MOST_DIGITS || at - digits > 100)
        return NAN;
    if (at < text.end)
        exponent += *at == 'e' || *at == 'E' ? read_exponent(at + 1, text.end) : NO_NUMBER;
    if (exponent > MOST_POWER || exponent < -MOST_POWER)
        return NAN;
    if (mantissa <= (uint64_t)1 << 53) /* exact, as the power is: one rounding */
        value = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
    else if (exponent <= 0 && exponent >= -MOST_DIGITS)
        value = divide(mantissa, -exponent);
    else
        return NAN;
    return negative ? -value : value;
}

/* ---- lines ---- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* The end of the word that may start here. Most characters are above all that end one, the 0 behind the text
 * included. */
static const char *word_end(const char *at, const char *end)
{
    for (;; at++) {
        while ((unsigned char)*at > ' ')
            at++;
        if (at >= end || *at == '\n' || is_blank(*at))
            return at;
    }
}

/* The first words of a line; returns how many it has, and moves *at behind it. */
static int64_t split(const char **at, const char *end, word *words)
{
    const char *c = *at;
    int64_t n = 0;
    for (;;) {
        word next;
        while (c < end && is_blank(*c))
            c++;
        next.start = c;
        c = next.end = word_end(c, end);
        if (next.end == next.start)
            break;
        if (n < WORDS)
            words[n] = next;
        n++;
    }
    *at = c + (c < end);
    return n;
}

static int same(word a, word b)
{
    return a.end - a.start == b.end - b.start && !memcmp(a.start, b.start, (size_t)(a.end - a.start));
}

typedef struct {
    const rm_trec_text *text;
    const int64_t *first;
    const rm_trec_lines *out;
    int64_t *counts;
} reader;

/* The line after, or the end. */
static const char *next_line(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found + 1 : end;
}

/* The first line that starts in a piece of the text, or the piece's end. */
static const char *first_line(const rm_trec_text *text, int64_t piece, const char **end)
{
    const char *start = text->bytes + piece * RM_TREC_PIECE;
    int64_t left = text->n_bytes - piece * RM_TREC_PIECE;
    *end = start + (left < RM_TREC_PIECE ? left : RM_TREC_PIECE);
    if (piece == 0 || start[-1] == '\n')
        return start;
    return next_line(start, *end);
}

/* Whether a line has words, and is no comment. */
static int has_words(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at < end && *at != '\n' && *at != '#';
}

static rm_code count_piece(void *context, void *scratch, int64_t piece)
{
    const reader *r = context;
    const char *end, *at = first_line(r->text, piece, &end), *text_end = r->text->bytes + r->text->n_bytes;
    (void)scratch;
    for (r->counts[piece] = 0; at < end; at = next_line(at, end))
        r->counts[piece] += has_words(at, text_end);
    return RM_OK;
}

static rm_code read_piece(void *context, void *scratch, int64_t piece)
{
    const reader *r = context;
    const rm_trec_lines *out = r->out;
    const char *end, *at = first_line(r->text, piece, &end), *text_end = r->text->bytes + r->text->n_bytes;
    word words[WORDS], query = {NULL, NULL};
    int64_t row = r->first[piece];
    (void)scratch;
    while (at < end) {
        const char *start = at;
        int64_t n;
        if (!has_words(at, text_end)) {
            at = next_line(at, text_end);
            continue;
        }
        n = split(&at, text_end, words);
        if (n != r->text->width)
            return rm_stop(RM_BAD_LINE, piece, start - r->text->bytes, (double)n);
        out->is_new[row] = !query.start || !same(words[0], query);
        query = words[0];
        out->document[row] = words[2].start - r->text->bytes;
        out->length[row] = words[2].end - words[2].start;
        out->value[row++] = read_number(words[r->text->value]);
    }
    return RM_OK;
}

static rm_status for_pieces(reader *r, rm_body body, const rm_run *run)
{
    rm_loop loop = {.body = body,
                    .context = r,
                    .n_users = (r->text->n_bytes + RM_TREC_PIECE - 1) / RM_TREC_PIECE,
                    .work = r->text->n_bytes};
    return rm_for_users(&loop, run);
}

rm_status rm_trec_count(const rm_trec_text *text, const rm_run *run, int64_t *counts)
{
    reader r = {.text = text, .counts = counts};
    return for_pieces(&r, count_piece, run);
}

rm_status rm_trec_read(const rm_trec_text *text, const int64_t *first, const rm_run *run,
                       const rm_trec_lines *out)
{
    reader r = {.text = text, .first = first, .out = out};
    return for_pieces(&r, read_piece, run);
}

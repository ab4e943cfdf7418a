/* A round's market as a plain loop: the arithmetic of erpsim/demand.py, for benchmarks/kernel.py to compare with. */

#include <math.h>
#include <string.h>

enum { CELLS = 24, CHANNELS = 3, LATER_PASSES = 2, EXACT_BITS = 53, SKUS = 12 };
static const double LARGEST_LOG = 600.0, SERVICE_EXPONENT = 0.5;

/* Log attractions to whole weights: the largest of a day and channel on offer sets the scale. */
void weigh(long days, long firms, double log_outside, const long *channel, const double *preference, const double *list,
           const double *price_exponent, const double *goodwill_exponent, const double *goodwill_scale,
           const double *prices, const double *goodwill, const double *service, const long *stock, const long *arrivals,
           double *weights, double *outside)
{
    const long n = firms * CELLS;
    double fixed[n];
    char offered[n];
    int bits = 0;
    for (long counted = firms * SKUS + 1; counted; counted >>= 1)
        bits++;
    const double scale = ldexp(1.0, EXACT_BITS - bits);
    for (long i = 0; i < n; i++) {
        const long c = i % CELLS;
        fixed[i] = log(preference[c]) - price_exponent[c] * log(prices[i] / list[c]) + SERVICE_EXPONENT * log(service[i]);
        long units = stock[i];
        for (long d = 0; d < days; d++)
            units += arrivals[d * n + i];
        offered[i] = units > 0;
    }
    for (long d = 0; d < days; d++) {
        double *row = weights + d * n, largest[CHANNELS];
        for (long k = 0; k < CHANNELS; k++)
            largest[k] = log_outside;
        for (long i = 0; i < n; i++) {
            const long c = i % CELLS;
            row[i] = fixed[i] + goodwill_exponent[c] * log1p(goodwill[d * n + i] / goodwill_scale[c]);
            if (offered[i] && row[i] > largest[channel[c]])
                largest[channel[c]] = row[i];
        }
        for (long i = 0; i < n; i++)
            row[i] = rint(exp(fmin(row[i] - largest[channel[i % CELLS]], LARGEST_LOG)) * scale);
        for (long k = 0; k < CHANNELS; k++)
            outside[d * CHANNELS + k] = fmax(rint(exp(log_outside - largest[k]) * scale), 1.0);
    }
}

/* Water-filling, day by day. */
void clear(long days, long firms, const long *channel, const double *weights, const double *outside, const long *opening,
           const long *arrivals, const double *potential, long *demanded, long *first, long *received, long *unmet,
           long *lost)
{
    const long n = firms * CELLS;
    double stock[n], wished[n];
    for (long i = 0; i < n; i++) {
        stock[i] = (double)opening[i];
        wished[i] = 0.0;
    }
    for (long d = 0; d < days; d++) {
        const double *w = weights + d * n, *out = outside + d * CHANNELS;
        double total[CHANNELS], looking[CHANNELS] = {0};
        memcpy(total, out, sizeof total);
        for (long i = 0; i < n; i++) {
            stock[i] += (double)arrivals[d * n + i];
            if (stock[i] > 0)
                total[channel[i % CELLS]] += w[i];
        }
        for (long i = 0; i < n; i++) {
            const long c = i % CELLS, k = channel[c];
            const double before = floor(wished[i]);
            wished[i] += potential[d * CELLS + c] * (w[i] / (stock[i] > 0 ? total[k] : w[i] + total[k]));
            const double wish = floor(wished[i]) - before, served = fmin(wish, stock[i]);
            if (stock[i] > 0)
                looking[k] += wish - served;
            stock[i] -= served;
            demanded[d * n + i] = (long)wish;
            first[d * n + i] = (long)served;
            received[d * n + i] = 0;
        }
        for (long k = 0; k < CHANNELS; k++)
            unmet[d * CHANNELS + k] = lost[d * CHANNELS + k] = (long)looking[k];
        for (int pass = 0; pass < LATER_PASSES; pass++) {
            if (looking[0] + looking[1] + looking[2] == 0)
                break;
            double again[CHANNELS] = {0};
            memcpy(total, out, sizeof total);
            for (long i = 0; i < n; i++)
                if (stock[i] > 0)
                    total[channel[i % CELLS]] += w[i];
            for (long i = 0; i < n; i++) {
                const long k = channel[i % CELLS];
                if (stock[i] > 0 && looking[k] > 0) {
                    const double wish = floor(w[i] * (looking[k] / total[k])), served = fmin(wish, stock[i]);
                    stock[i] -= served;
                    received[d * n + i] += (long)served;
                    lost[d * CHANNELS + k] -= (long)served;
                    again[k] += wish - served;
                }
            }
            memcpy(looking, again, sizeof looking);
        }
    }
}

/*
 * How ranges are cut for threads. For generated dispatch TUs only: internal linkage, so that
 * libraries built by different versions never share a function.
 */
#ifndef PYKOKKOS_CACHE_DISPATCH_SPLIT_HPP
#define PYKOKKOS_CACHE_DISPATCH_SPLIT_HPP

#include <pykokkos_cache/dispatch.h>

#include <stdexcept>

namespace
{
namespace pkc_dispatch_impl
{

struct extent {
    int64_t begin, end;
};

/* Work indices in [begin, end); a range that ends before it begins has none. */
inline uint64_t length_of(const int64_t begin, const int64_t end)
{
    return end > begin ? static_cast<uint64_t>(end) - static_cast<uint64_t>(begin) : 0;
}

/* Work indices outside of what kernels are made for are an error. */
inline void check_indices(const int64_t begin, const int64_t end)
{
    if (end > begin && (begin < -PKC_INDEX_MAX || end > PKC_INDEX_MAX)) {
        throw std::out_of_range("work indices must lie between -2**53 and 2**53");
    }
}

/* begin + offset, where the result is known to fit. */
inline int64_t advance(const int64_t begin, const uint64_t offset)
{
    return static_cast<int64_t>(static_cast<uint64_t>(begin) + offset);
}

/* `length * part / parts` without overflow. */
inline uint64_t share(const uint64_t length, const uint64_t part, const uint64_t parts)
{
    return length / parts * part + length % parts * part / parts;
}

/* A range cut into equal parts, or into chunks of a size. */
class split
{
  public:
    static split evenly(const int64_t begin, const int64_t end, const uint64_t parts)
    {
        return split(begin, length_of(begin, end), 0, parts);
    }

    /* `size` <= 0: 16 chunks a thread. */
    static split in_chunks(const int64_t begin, const int64_t end, const int64_t size,
                           const int threads)
    {
        const uint64_t length = length_of(begin, end);
        uint64_t chunk = static_cast<uint64_t>(size);
        if (size <= 0) {
            chunk = length / (static_cast<uint64_t>(threads) * 16);
            chunk = chunk > 0 ? chunk : 1;
        }
        return split(begin, length, chunk, length / chunk + (length % chunk != 0 ? 1 : 0));
    }

    uint64_t count() const
    {
        return parts_;
    }

    extent at(const uint64_t part) const
    {
        if (chunk_ == 0) {
            return {advance(begin_, share(length_, part, parts_)),
                    advance(begin_, share(length_, part + 1, parts_))};
        }
        const uint64_t from = part * chunk_;
        const uint64_t size = length_ - from < chunk_ ? length_ - from : chunk_;
        return {advance(begin_, from), advance(begin_, from + size)};
    }

  private:
    split(const int64_t begin, const uint64_t length, const uint64_t chunk, const uint64_t parts)
        : begin_(begin), length_(length), chunk_(chunk), parts_(parts)
    {
        if (length > 0) {
            check_indices(begin, advance(begin, length));
        }
    }

    int64_t begin_;
    uint64_t length_;
    uint64_t chunk_; /* 0: equal parts */
    uint64_t parts_;
};

struct box {
    int64_t begin[PKC_MAX_RANK], end[PKC_MAX_RANK];
};

/* A multi-dimensional range cut into boxes: of the caller's tile, else as large as they can be with
 * an even share for each thread. Slabs of the outermost dimension come first: they keep the inner
 * loops long and give each thread one piece of memory. */
class boxes
{
  public:
    boxes(const pkc_mdrange &range, const uint64_t threads)
        : rank_(range.rank), left_to_right_(range.left_to_right)
    {
        if (rank_ < 1 || rank_ > PKC_MAX_RANK) {
            throw std::invalid_argument("a range of this rank is not supported");
        }
        bool tiled = false;
        for (int d = 0; d < rank_; ++d) {
            check_indices(range.begin[d], range.end[d]);
            begin_[d] = range.begin[d];
            length_[d] = length_of(range.begin[d], range.end[d]);
            tile_[d] = range.tile[d] > 0 ? static_cast<uint64_t>(range.tile[d]) : 0;
            parts_[d] = 1;
            tiled = tiled || tile_[d] > 0;
        }
        if (tiled) {
            use_tiles();
        } else {
            share_out(threads);
        }
        count_total();
    }

    uint64_t count() const
    {
        return count_;
    }

    /* Neighbours in number are neighbours in the innermost dimension. */
    void at(uint64_t number, box &b) const
    {
        for (int step = 0; step < rank_; ++step) {
            const int d = left_to_right_ != 0 ? step : rank_ - 1 - step;
            const uint64_t part = number % parts_[d];
            number /= parts_[d];
            uint64_t from = 0;
            uint64_t to = 0;
            if (tile_[d] > 0) {
                from = part * tile_[d];
                to = length_[d] - from < tile_[d] ? length_[d] : from + tile_[d];
            } else {
                from = share(length_[d], part, parts_[d]);
                to = share(length_[d], part + 1, parts_[d]);
            }
            b.begin[d] = advance(begin_[d], from);
            b.end[d] = advance(begin_[d], to);
        }
    }

  private:
    void use_tiles()
    {
        for (int d = 0; d < rank_; ++d) {
            if (tile_[d] > 0) {
                parts_[d] = length_[d] / tile_[d] + (length_[d] % tile_[d] != 0 ? 1 : 0);
            }
        }
    }

    /* One box a thread where the outermost dimension alone gives even shares; else more, smaller
     * ones over several dimensions. */
    void share_out(const uint64_t threads)
    {
        const int outer = left_to_right_ != 0 ? rank_ - 1 : 0;
        if (length_[outer] >= 8 * threads || length_[outer] % threads == 0) {
            parts_[outer] = threads;
            return;
        }
        uint64_t wanted = threads > 1 ? 8 * threads : 1;
        for (int step = 0; step < rank_ && wanted > 1; ++step) {
            const int d = left_to_right_ != 0 ? rank_ - 1 - step : step;
            if (length_[d] > 0) {
                parts_[d] = length_[d] < wanted ? length_[d] : wanted;
                wanted = (wanted + parts_[d] - 1) / parts_[d];
            }
        }
    }

    void count_total()
    {
        count_ = 1;
        for (int d = 0; d < rank_; ++d) {
            if (length_[d] == 0) {
                count_ = 0;
                return;
            }
        }
        for (int d = 0; d < rank_; ++d) {
            if (parts_[d] > UINT64_MAX / 2 / count_) {
                throw std::length_error("the range has too many tiles");
            }
            count_ *= parts_[d];
        }
    }

    int rank_;
    int left_to_right_;
    int64_t begin_[PKC_MAX_RANK];
    uint64_t length_[PKC_MAX_RANK];
    uint64_t tile_[PKC_MAX_RANK]; /* 0: equal parts */
    uint64_t parts_[PKC_MAX_RANK];
    uint64_t count_;
};

} // namespace pkc_dispatch_impl
} // namespace

#endif

#include "mercator/runtime/npz.h"

#include <zip.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/npy.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

constexpr std::string_view kSuffix = ".npy";
// What numpy writes as well: the first day that zip knows, at midnight.
constexpr zip_uint16_t kNoTime = 0;
constexpr zip_uint16_t kFirstDay = 1 << 5 | 1;

Error error_of(zip_error_t& error) {
  const int system =
      zip_error_system_type(&error) == ZIP_ET_SYS ? zip_error_code_system(&error) : 0;
  if (system != 0) {
    return {.kind = ErrorKind::kIo, .message = std::generic_category().message(system)};
  }
  switch (zip_error_code_zip(&error)) {
    case ZIP_ER_NOZIP:
    case ZIP_ER_INCONS:
      return {.message = "it is not a zip archive, or not all of one"};
    case ZIP_ER_CRC:
      return {.message = "it is damaged: its checksum is wrong"};
    case ZIP_ER_EOF:
      return {.message = "it is cut short"};
    default:
      return {.message =
                  fmt::format("the zip archive cannot be used: {}", zip_error_strerror(&error))};
  }
}

class EntrySource final : public ByteSource {
 public:
  explicit EntrySource(zip_file_t* file) : file_(file) {}
  ~EntrySource() override { zip_fclose(file_); }

  Result<std::size_t> read(std::span<std::byte> out) override {
    std::size_t filled = 0;
    while (filled < out.size()) {
      const zip_int64_t count = zip_fread(file_, out.data() + filled, out.size() - filled);
      if (count < 0) return std::unexpected(error_of(*zip_file_get_error(file_)));
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
    }
    return filled;
  }

 private:
  zip_file_t* file_;
};

// An archive that is being written, thrown away unless it is closed.
class ArchiveWriter {
 public:
  // The token must stay.
  ArchiveWriter(zip_t* archive, const std::stop_token& stop) : archive_(archive), stop_(stop) {}
  ~ArchiveWriter() {
    if (archive_ != nullptr) zip_discard(archive_);
  }
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // The content must stay until the archive is closed.
  [[nodiscard]] Result<void> add(const std::string& name, NpyContent& content) {
    const std::span<std::byte> elements = content.elements.mutable_bytes();
    const zip_buffer_fragment_t fragments[] = {
        {.data = reinterpret_cast<zip_uint8_t*>(content.header.data()),
         .length = content.header.size()},
        {.data = reinterpret_cast<zip_uint8_t*>(elements.data()), .length = elements.size()}};
    zip_source_t* const source = zip_source_buffer_fragment(archive_, fragments, 2, 0);
    if (source == nullptr) return error();
    const zip_int64_t index = zip_file_add(archive_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return error();
    }
    const auto place = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(archive_, place, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive_, place, kNoTime, kFirstDay, 0) != 0) {
      return error();
    }
    return {};
  }

  [[nodiscard]] Result<void> close() {
    const auto is_stopped = [](zip_t*, void* stop) {
      return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
    };
    // libzip hands the pointer back, and does not write through it.
    void* const stop = const_cast<std::stop_token*>(&stop_);
    if (zip_register_cancel_callback_with_state(archive_, is_stopped, nullptr, stop) != 0) {
      return error();
    }
    if (zip_close(archive_) != 0) {
      MERCATOR_TRY_VOID(check_stop(stop_));
      return error();
    }
    archive_ = nullptr;
    return {};
  }

 private:
  [[nodiscard]] std::unexpected<Error> error() const {
    Error error = error_of(*zip_get_error(archive_));
    error.kind = ErrorKind::kIo;
    return std::unexpected(std::move(error));
  }

  zip_t* archive_;
  const std::stop_token& stop_;
};

// libzip takes an archive without entries for one to remove.
Result<void> write_empty_archive(const std::string& path) {
  constexpr std::string_view kEndOfDirectory("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
  std::FILE* const file = std::fopen(path.c_str(), "wbe");
  bool written = file != nullptr && std::fwrite(kEndOfDirectory.data(), 1, kEndOfDirectory.size(),
                                                file) == kEndOfDirectory.size();
  written = file != nullptr && std::fclose(file) == 0 && written;
  if (written) return {};
  return fail(ErrorKind::kIo, std::generic_category().message(errno));
}

std::string entry_name(const NpzEntry& entry) {
  const hlo::ElementType type = entry.tensor.element_type();
  if (is_numpy_type(type)) return entry.name + std::string(kSuffix);
  return fmt::format("{}.{}{}", entry.name, hlo::name(type), kSuffix);
}

}  // namespace

bool is_npz(std::string_view path) { return path.ends_with(".npz"); }

Result<NpzReader> NpzReader::open(const std::string& path) {
  int code = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (archive == nullptr) {
    const int system = errno;
    if (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ) {
      return fail(ErrorKind::kIo, std::generic_category().message(system));
    }
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    Error described = error_of(error);
    zip_error_fini(&error);
    return std::unexpected(std::move(described));
  }
  NpzReader reader;
  reader.archive_ = std::shared_ptr<void>(
      archive, [](void* opened) { zip_discard(static_cast<zip_t*>(opened)); });
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* const name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    if (name == nullptr) return std::unexpected(error_of(*zip_get_error(archive)));
    std::string_view stem = name;
    if (!stem.ends_with(kSuffix)) {
      return fail(ErrorKind::kInvalidInput, fmt::format("its entry '{}' is not a .npy file", stem));
    }
    stem.remove_suffix(kSuffix.size());
    reader.names_.emplace_back(stem);
  }
  return reader;
}

Result<std::unique_ptr<ByteSource>> NpzReader::entry(std::size_t index) const {
  auto* const archive = static_cast<zip_t*>(archive_.get());
  zip_file_t* const file = zip_fopen_index(archive, index, 0);
  if (file == nullptr) return std::unexpected(error_of(*zip_get_error(archive)));
  return std::make_unique<EntrySource>(file);
}

Result<void> write_npz(const std::string& path, std::span<const NpzEntry> entries,
                       const MemoryPool& pool, const std::stop_token& stop) {
  if (entries.empty()) return write_empty_archive(path);
  std::vector<NpyContent> contents;
  for (const NpzEntry& entry : entries) {
    contents.push_back(MERCATOR_TRY(npy_content(entry.tensor, ForeignElements::kBits, pool)));
  }
  int code = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == nullptr) {
    const int system = errno;
    return fail(ErrorKind::kIo, system != 0 ? std::generic_category().message(system)
                                            : std::string("it cannot be written"));
  }
  ArchiveWriter writer(archive, stop);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    MERCATOR_TRY_VOID(writer.add(entry_name(entries[i]), contents[i]));
  }
  return writer.close();
}

}  // namespace mercator::runtime

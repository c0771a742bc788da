package io.indexview.streams.generation;

import io.indexview.schemas.config.InvalidConfigException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The view definition files of a directory. */
final class ViewFiles {
  private static final List<String> EXTENSIONS = List.of(".json", ".yaml", ".yml");

  private ViewFiles() {}

  /**
   * The texts by file name, in the order of the names.
   *
   * @throws InvalidConfigException naming every file that cannot be read
   */
  static Map<String, String> read(Path directory) {
    List<String> problems = new ArrayList<>();
    Map<String, String> texts = new LinkedHashMap<>();
    for (Path file : list(directory)) {
      try {
        texts.put(file.getFileName().toString(), Files.readString(file));
      } catch (CharacterCodingException e) {
        problems.add(file + ": is not UTF-8 text");
      } catch (IOException e) {
        problems.add(file + ": cannot be read: " + e.getMessage());
      }
    }
    if (!problems.isEmpty()) {
      throw new InvalidConfigException("The view files are not usable", problems);
    }
    if (texts.isEmpty()) {
      throw unusable(directory, "holds no view definition (.json, .yaml, .yml)");
    }
    return texts;
  }

  private static List<Path> list(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(Files::isRegularFile).filter(ViewFiles::isDefinition).sorted().toList();
    } catch (IOException e) {
      throw unusable(directory, "cannot be read: " + e);
    }
  }

  private static boolean isDefinition(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    return !name.startsWith(".") && EXTENSIONS.stream().anyMatch(name::endsWith);
  }

  private static InvalidConfigException unusable(Path directory, String why) {
    return new InvalidConfigException(
        "The view files are not usable", List.of("views.dir: " + directory + " " + why));
  }
}

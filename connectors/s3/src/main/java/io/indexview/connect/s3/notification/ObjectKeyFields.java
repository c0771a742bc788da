package io.indexview.connect.s3.notification;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Finds upload user and file id in an object key by a pattern with named groups. Thread-safe. */
public final class ObjectKeyFields {
  /** Group of the user who uploaded the file. */
  public static final String UPLOAD_USER = "uploadUser";

  /** Group of the file's id. */
  public static final String FILE_ID = "fileId";

  /**
   * {@code user_file.ext} and {@code user-file.ext}, in any folder: the user ends at the first
   * underscore or hyphen, the file id at the extension.
   */
  public static final String DEFAULT_PATTERN =
      "(?:.*/)?(?<uploadUser>[^/_-]+)[_-](?<fileId>[^/]+?)(?:\\.[^/.]*)?";

  private static final Pattern GROUP_NAME = Pattern.compile("\\(\\?<([a-zA-Z][a-zA-Z0-9]*)>");

  private final Pattern pattern;
  private final boolean hasUser;
  private final boolean hasFileId;

  /**
   * @param regex must match the whole object key
   * @throws IllegalArgumentException if it is no regular expression, or has other groups than the
   *     two that are known, or none of them
   */
  public ObjectKeyFields(String regex) {
    try {
      this.pattern = Pattern.compile(regex, Pattern.DOTALL);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "not a regular expression: " + e.getDescription() + " at index " + e.getIndex(), e);
    }
    List<String> groups = groupNames(regex);
    this.hasUser = groups.contains(UPLOAD_USER);
    this.hasFileId = groups.contains(FILE_ID);
    List<String> unknown =
        groups.stream().filter(g -> !g.equals(UPLOAD_USER) && !g.equals(FILE_ID)).toList();
    if (!unknown.isEmpty() || !(hasUser || hasFileId)) {
      throw new IllegalArgumentException(
          "has the named groups %s; use (?<%s>...) and (?<%s>...)"
              .formatted(groups, UPLOAD_USER, FILE_ID));
    }
  }

  private static List<String> groupNames(String regex) {
    List<String> names = new ArrayList<>();
    Matcher matcher = GROUP_NAME.matcher(regex);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  /** What the key says; a key that does not match has no user, and its last part as file id. */
  public Fields parse(String key) {
    Matcher matcher = pattern.matcher(key);
    if (!matcher.matches()) {
      return new Fields(null, key.substring(key.lastIndexOf('/') + 1));
    }
    return new Fields(
        hasUser ? matcher.group(UPLOAD_USER) : null, hasFileId ? matcher.group(FILE_ID) : null);
  }

  /**
   * @param uploadUser null if the key does not say
   * @param fileId null if the key does not say
   */
  public record Fields(String uploadUser, String fileId) {}
}

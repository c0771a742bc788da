package io.indexview.views.layout;

import io.indexview.views.definition.ViewFields;
import io.indexview.views.layout.DynamoDbLayout.ItemKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/** Keys of index views: two texts. */
final class IndexKey implements ItemKey {
  private final RowKey rowKey;
  private final int inPartition;

  IndexKey(ViewFields fields, int inPartition) {
    this.rowKey = new RowKey(fields);
    this.inPartition = inPartition;
  }

  @Override
  public DynamoDbLayout.KeyAttribute partitionKey() {
    return new DynamoDbLayout.KeyAttribute(
        DynamoDbLayout.PARTITION, DynamoDbLayout.AttributeType.S);
  }

  @Override
  public DynamoDbLayout.KeyAttribute sortKey() {
    return new DynamoDbLayout.KeyAttribute(DynamoDbLayout.SORT, DynamoDbLayout.AttributeType.S);
  }

  @Override
  public Map<String, Object> attributes(Function<String, ?> key) {
    List<String> components = rowKey.components(key);
    List<String> sort = new ArrayList<>(components.subList(inPartition, components.size()));
    sort.add(RowKey.primaryKey(key));
    Map<String, Object> attributes = new LinkedHashMap<>();
    attributes.put(DynamoDbLayout.PARTITION, JoinedText.join(components.subList(0, inPartition)));
    attributes.put(DynamoDbLayout.SORT, JoinedText.join(sort));
    return attributes;
  }

  @Override
  public void addRest(Map<String, Object> item, Function<String, ?> key) {
    // The two key attributes hold the whole row key.
  }

  @Override
  public StoredRow row(
      Map<String, ?> item, Map<String, Object> values, long revision, boolean deleted) {
    List<String> components = new ArrayList<>(split(item, DynamoDbLayout.PARTITION));
    if (components.size() != inPartition) {
      throw new LayoutException(
          "%s holds %d values instead of %d"
              .formatted(DynamoDbLayout.PARTITION, components.size(), inPartition));
    }
    components.addAll(split(item, DynamoDbLayout.SORT));
    if (components.size() != rowKey.size() + 1) {
      throw new LayoutException(
          "%s holds %d values instead of %d"
              .formatted(
                  DynamoDbLayout.SORT,
                  components.size() - inPartition,
                  rowKey.size() + 1 - inPartition));
    }
    String primaryKey = components.remove(rowKey.size());
    return new StoredRow(
        rowKey.values(components), primaryKey, values, OptionalLong.of(revision), deleted);
  }

  private static List<String> split(Map<String, ?> item, String attribute) {
    if (item.get(attribute) instanceof String joined) {
      return JoinedText.split(joined);
    }
    throw new LayoutException("an item without the text \"%s\"".formatted(attribute));
  }

  String partition(List<?> shardKeyValues) {
    if (shardKeyValues.size() != inPartition) {
      throw new LayoutException(
          "%d values given, but the shard key has %d fields"
              .formatted(shardKeyValues.size(), inPartition));
    }
    return JoinedText.join(rowKey.leading(shardKeyValues));
  }

  String sortPrefix(List<?> shardKeyValues, List<?> following) {
    List<Object> all = new ArrayList<>(shardKeyValues);
    all.addAll(following);
    return sortPrefix(all);
  }

  String sortPrefix(List<?> leading) {
    return JoinedText.prefix(rowKey.leading(leading).subList(inPartition, leading.size()));
  }

  String sortBound(List<?> leading, Object value, boolean behind) {
    String joined = sortPrefix(leading, value);
    return behind ? JoinedText.behind(joined) : joined;
  }

  String sortPrefix(List<?> leading, Object beginning) {
    String component = rowKey.component(leading.size(), beginning);
    return sortPrefix(leading) + JoinedText.escape(component);
  }

  String sortEnd(List<?> leading) {
    String prefix = sortPrefix(leading);
    return prefix.isEmpty() ? null : JoinedText.behind(prefix.substring(0, prefix.length() - 1));
  }

  /**
   * Several texts in one, and back: ordered as the texts are, one after the other, whatever they
   * hold. They are joined by a tab; a tab, and what sorts below or with it, is written as a line
   * feed and a letter. The result is never empty, as key attributes must not be.
   */
  static final class JoinedText {
    private static final char SEPARATOR = '\t';
    private static final char ESCAPE = '\n';
    private static final char SHIFT = '@';
    private static final String EMPTY = String.valueOf(ESCAPE);

    private JoinedText() {}

    static String join(List<String> texts) {
      StringBuilder joined = new StringBuilder();
      for (int i = 0; i < texts.size(); i++) {
        if (i > 0) {
          joined.append(SEPARATOR);
        }
        append(joined, texts.get(i));
      }
      return joined.isEmpty() ? EMPTY : joined.toString();
    }

    /** What the joined form of every list begins with that begins with these texts and goes on. */
    static String prefix(List<String> texts) {
      StringBuilder joined = new StringBuilder();
      for (String text : texts) {
        append(joined, text);
        joined.append(SEPARATOR);
      }
      return joined.toString();
    }

    /** One text as it stands in the joined form. */
    static String escape(String text) {
      StringBuilder escaped = new StringBuilder(text.length());
      append(escaped, text);
      return escaped.toString();
    }

    /**
     * What is above all joined forms that begin with this and a separator, and below the others.
     */
    static String behind(String joined) {
      return joined + (char) (SEPARATOR + 1);
    }

    private static void append(StringBuilder joined, String text) {
      for (int i = 0; i < text.length(); i++) {
        char unit = text.charAt(i);
        if (unit <= ESCAPE) {
          joined.append(ESCAPE).append((char) (unit + SHIFT));
        } else {
          joined.append(unit);
        }
      }
    }

    /**
     * Splits what {@link #join} gave.
     *
     * @throws LayoutException if it never gives such a text
     */
    static List<String> split(String joined) {
      List<String> texts = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < joined.length() && !joined.equals(EMPTY); i++) {
        char unit = joined.charAt(i);
        if (unit == SEPARATOR) {
          texts.add(text.toString());
          text.setLength(0);
        } else if (unit == ESCAPE) {
          i++;
          text.append(unescape(joined, i));
        } else {
          text.append(unit);
        }
      }
      texts.add(text.toString());
      return texts;
    }

    private static char unescape(String joined, int index) {
      int unit = index < joined.length() ? joined.charAt(index) - SHIFT : -1;
      if (unit < 0 || unit > ESCAPE) {
        throw new LayoutException("a key attribute holds an escape that is never written");
      }
      return (char) unit;
    }
  }
}
